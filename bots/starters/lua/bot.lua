-- A bot that plays every game of golfref legally. It remembers each card that it sees, keeps low ones and throws high
-- ones away. Read it from the top, then change the functions marked "Change this to play better".
--
-- The referee writes one JSON message a line to standard input, and reads the answers from standard output. Write
-- nothing else there: io.stderr:write is for what helps you to find mistakes.

local json = require("dkjson")

local unpack = table.unpack or unpack -- Lua 5.1 has the second

local LOW = 4 -- a card of at most so many points is kept
local HIDDEN = 5 -- what a card counts that we do not know
local UNKNOWN = "?"
local NONE = json.null -- what `null` in a message becomes: no card, no slots

local match -- the message that began the match: our seat, what cards are worth, the options of the game
local layouts -- by seat + 1 and slot + 1: a card such as "10H", UNKNOWN, or NONE where no card lies
local hand -- the card that was just drawn, NONE where we do not see it
local pile -- the top card of the discard pile, NONE where the pile is empty

-- ---- Helpers for lists.

local function map(list, change)
  local changed = {}
  for i, value in ipairs(list) do
    changed[i] = change(value, i)
  end
  return changed
end

-- The first value that passes the test, nil where none does.
local function find(list, test)
  for _, value in ipairs(list) do
    if test(value) then
      return value
    end
  end
end

local function contains(list, wanted)
  return find(list, function(value) return value == wanted end) ~= nil
end

-- Lists of a message are written as lists again even where they are empty.
local function array(list)
  return setmetatable(list, { __jsontype = "array" })
end

-- ---- What cards count.

local function rank(card)
  return card:sub(1, 1) == "X" and "X" or card:sub(1, -2) -- X1 and X2 are jokers; else the last letter is the suit
end

local function points(card)
  return match.values[card] or match.values[rank(card)]
end

-- What a card in a layout counts. Change this to play better: reckon with the cards that you have not seen yet.
local function cost(card)
  if card == NONE then
    return 0
  end
  return card == UNKNOWN and HIDDEN or points(card)
end

local function total_cost(cards)
  local total = 0
  for _, card in ipairs(cards) do
    total = total + cost(card)
  end
  return total
end

local function is_known(card)
  return card ~= NONE and card ~= UNKNOWN
end

local function card_at(seat, slot)
  return layouts[seat + 1] and layouts[seat + 1][slot + 1] or NONE
end

local function own(slot)
  return card_at(match.seat, slot)
end

local function pair(row)
  return { own(2 * row), own(2 * row + 1) }
end

-- Of these slots of ours the one that counts most, the first among equals.
local function worst(slots)
  local worst_slot
  for _, slot in ipairs(slots) do
    local more = worst_slot and cost(own(slot)) - cost(own(worst_slot))
    if not more or more > 0 or (more == 0 and slot < worst_slot) then
      worst_slot = slot
    end
  end
  return worst_slot
end

-- ---- Decisions. Each function gets the offers by their kind, and returns an action. Where it returns nothing,
-- ---- least_committal answers, as it does for all decisions that are not named here.

local decisions = {}

-- The start of our turn. Change this to play better: how sure must you be before you end a round?
function decisions.turn(offers)
  local cards = layouts[match.seat + 1]
  if not contains(cards, UNKNOWN) and total_cost(cards) <= LOW then
    local ending = offers.knock or offers["end"]
    if ending then
      return { kind = ending.kind }
    end
  end
  if offers.draw then
    local sources = offers.draw.from.one_of
    local is_low = pile ~= NONE and points(pile) <= LOW
    local take_pile = contains(sources, "pile") and (is_low or not contains(sources, "stock"))
    return { kind = "draw", from = take_pile and "pile" or "stock" }
  end
end

-- Where the drawn card goes. Change this to play better: in many games equal cards in a line count nothing.
function decisions.place(offers)
  local swap = offers.swap and { kind = "swap", slot = worst(offers.swap.slot.one_of) }
  if swap and hand ~= NONE then
    local helps = points(hand) <= LOW and points(hand) < cost(own(swap.slot))
    if helps or not offers.discard then
      return swap
    end
  end
  return offers.discard and { kind = "discard" } or swap
end

-- Which of our cards is turned face up.
function decisions.flip(offers)
  return offers.flip and { kind = "flip", slot = offers.flip.slot.one_of[1] }
end

-- The power of a card. Change this to play better: there are many more powers than to peek.
function decisions.power(offers)
  local target = find(offers.peek and offers.peek.target.one_of or {}, function(target)
    return target[1] == match.seat and own(target[2]) == UNKNOWN
  end)
  return target and { kind = "peek", target = target }
end

-- A card was discarded, and whoever throws an equal one first is rid of it. Here every microsecond counts.
function decisions.slap(offers)
  local target = find(offers.slap and pile ~= NONE and offers.slap.target.one_of or {}, function(target)
    local card = target[1] == match.seat and own(target[2]) or NONE
    return is_known(card) and rank(card) == rank(pile) and points(card) > 0
  end)
  return target and { kind = "slap", target = target }
end

-- The card that another seat gets after we slapped one of its cards.
function decisions.give(offers)
  return offers.give and { kind = "give", slot = worst(offers.give.slot.one_of) }
end

-- Whether our shield stops an attack.
function decisions.block(offers)
  return offers.block and { kind = "block" }
end

-- The two-deck game: pairs that we may throw away.
function decisions.pairs(offers)
  if offers.discard_pairs then
    local rows = array({})
    for _, row in ipairs(offers.discard_pairs.rows.any_of) do
      if total_cost(pair(row)) > 0 then
        table.insert(rows, row)
      end
    end
    return { kind = "discard_pairs", rows = rows }
  end
end

-- Par golf: a row that we may take as a stroke.
function decisions.stroke(offers)
  local row = find(offers.stroke and offers.stroke.row.one_of or {}, function(row)
    local cards = pair(row)
    return is_known(cards[1]) and is_known(cards[2]) and total_cost(cards) <= LOW
  end)
  return row and { kind = "stroke", row = row }
end

-- A value that a choice allows: one of some, exactly so many of some, or as many of some as we like.
local function first_of(choice)
  if choice.one_of then
    return choice.one_of[1]
  end
  return array(choice.pick and { unpack(choice.of, 1, choice.pick) } or {})
end

-- A legal answer to any request, also to decisions that did not exist when this bot was written.
local function least_committal(legal, offers)
  local kind = find({ "pass", "none", "allow", "stop", "discard", "draw" }, function(kind) return offers[kind] end)
  local action = {}
  for field, choice in pairs(offers[kind] or legal[1]) do
    action[field] = field == "kind" and choice or first_of(choice)
  end
  return action
end

-- ---- What happened. Everything is told once, so we keep it. Events that are not named here change nothing for us.

-- Slots beyond the end of a layout are new ones.
local function put(seat, slot, card)
  while #layouts <= seat do
    table.insert(layouts, {})
  end
  local layout = layouts[seat + 1]
  while #layout <= slot do
    table.insert(layout, NONE)
  end
  layout[slot + 1] = card
end

local function see(seat, slot, card)
  if card ~= NONE then
    put(seat, slot, card)
  end
end

local function discard(card)
  pile, hand = card, NONE
end

local function exchange(seat, slot, other_seat, other_slot)
  local card, other = card_at(seat, slot), card_at(other_seat, other_slot)
  put(seat, slot, other)
  put(other_seat, other_slot, card)
end

local function occupied(seat)
  local slots = {}
  for i, card in ipairs(layouts[seat + 1] or {}) do
    if card ~= NONE then
      table.insert(slots, i - 1)
    end
  end
  return slots
end

-- A layout as it is told, with what we remember of the cards that it does not show.
local function covered(seat, layout)
  return map(layout, function(card, i)
    local known = card_at(seat, i - 1)
    return card == UNKNOWN and known ~= NONE and known or card
  end)
end

-- Every seat gets so many cards that nobody knows.
local function deal(count)
  layouts = {}
  for seat = 1, match.seats do
    layouts[seat] = {}
    for slot = 1, count do
      layouts[seat][slot] = UNKNOWN
    end
  end
  discard(NONE)
end

local memory = {}

function memory.round(event) deal(event.rows * match.columns) end
function memory.up_card(event) pile = event.card end

function memory.turned_up(event)
  for i, slot in ipairs(event.slots) do
    see(event.seat, slot, event.cards[i])
  end
end
memory.looked = memory.turned_up

function memory.swapped_own(event)
  exchange(event.seat, event.slots[1], event.seat, event.slots[2])
  memory.turned_up(event)
end

function memory.arranged(event)
  if event.slots ~= NONE then
    local cards = map(event.slots, function(from) return card_at(event.seat, from) end)
    for i, card in ipairs(cards) do
      put(event.seat, i - 1, card)
    end
  end
end

function memory.drew(event) hand = event.card end

function memory.swapped(event)
  put(event.seat, event.slot, event.card ~= NONE and event.card or UNKNOWN)
  discard(event.replaced)
end

function memory.discarded(event) discard(event.card) end
memory.power = memory.discarded

function memory.traded(event)
  put(event.target[1], event.target[2], event.given)
  hand = event.taken
end

function memory.peeked(event) see(event.target[1], event.target[2], event.card) end
memory.exposed = memory.peeked

function memory.switched(event)
  local one, other = unpack(event.targets)
  exchange(one[1], one[2], other[1], other[2])
end

function memory.rearranged(event)
  local places = occupied(event.of)
  local cards = map(places, function(_, i)
    return event.slots == NONE and UNKNOWN or card_at(event.of, event.slots[i])
  end)
  for i, slot in ipairs(places) do
    put(event.of, slot, cards[i])
  end
end

function memory.shuffled(event)
  for _, slot in ipairs(occupied(event.of)) do
    put(event.of, slot, UNKNOWN)
  end
end

function memory.lines_swapped(event)
  memory.shuffled(event)
  layouts[event.of + 1] = covered(event.of, event.layout)
end

function memory.added(event) put(event.target[1], event.target[2], UNKNOWN) end

function memory.removed(event)
  put(event.target[1], event.target[2], NONE)
  pile = event.card
end

function memory.planted(event)
  put(event.target[1], event.target[2], event.card)
  discard(event.replaced)
end

function memory.kept(event)
  put(event.seat, event.slot, event.card ~= NONE and event.card or UNKNOWN)
  discard(event.discarded[#event.discarded] or pile)
end

function memory.blocked(event) pile = event.shield ~= NONE and event.shield or pile end

function memory.pairs_discarded(event)
  for _, row in ipairs(event.rows) do
    put(event.seat, 2 * row, NONE)
    put(event.seat, 2 * row + 1, NONE)
  end
  pile = event.cards[#event.cards] or pile
end

function memory.slapped(event)
  local slapper, seat, slot = event.seat, event.target[1], event.target[2]
  if event.verdict == "right" then
    put(seat, slot, NONE)
    pile = event.card
  elseif event.new_slot ~= NONE and seat ~= slapper then -- another seat's card, which the slapper has to take
    put(seat, slot, NONE)
    put(slapper, event.new_slot, event.card)
  else -- it went back, and everybody has seen it; perhaps there is a card from the stock as a penalty
    put(seat, slot, event.card)
    if event.new_slot ~= NONE then
      put(slapper, event.new_slot, UNKNOWN)
    end
  end
end

function memory.gave(event)
  put(event.target[1], event.target[2], card_at(event.seat, event.slot))
  put(event.seat, event.slot, NONE)
end

-- The table as everybody sees it.
local function look(seen)
  layouts = map(seen.layouts, function(layout, i) return covered(i - 1, layout) end)
  pile = seen.pile[1] or NONE
end

-- ---- The conversation.

-- The action for a request. `legal` lists all that may be answered, and we never answer anything else.
local function decide(request)
  for _, event in ipairs(request.events) do
    local remember = memory[event.event]
    if remember then
      remember(event)
    end
  end
  if request.table then
    look(request.table)
  end
  local offers = {}
  for i = #request.legal, 1, -1 do
    offers[request.legal[i].kind] = request.legal[i]
  end
  local choose = decisions[request.decision]
  return choose and choose(offers) or least_committal(request.legal, offers)
end

local function say(message)
  io.stdout:write(json.encode(message), "\n")
  io.stdout:flush() -- an answer that waits in a buffer comes too late
end

for line in io.lines() do
  local message = json.decode(line, 1, NONE)
  if message.type == "hello" then
    say({ type = "ready", name = "my-bot", version = "1" }) -- with slaps = false a bot is never asked to slap
  elseif message.type == "match" then
    match = message
    deal(0)
  elseif message.type == "request" then
    say({ type = "answer", id = message.id, action = decide(message) })
  end -- `end` needs no answer. Another match may follow.
end
