-- A bot that plays every game of golfref legally. It keeps low cards and throws high ones away, judging by the cards
-- that lie open. Four comments that begin with "Next:" say what to add.
--
-- The referee writes one JSON message a line to standard input, and reads the answers from standard output. Write
-- nothing else there: use io.stderr:write to print what helps you to find mistakes.

local json = require("dkjson")

local unpack = table.unpack or unpack -- Lua 5.1 has the second

local LOW = 4 -- a card of at most so many points is taken from the pile
local HIDDEN = 5 -- the points of a card that lies face down
local PATIENCE = 4 -- the first own turn of a round in which the bot may end it
local NONE = json.null -- what `null` in a message becomes: no card

local match -- the message that began the match: our seat, what cards are worth, the options of the game
local layouts -- by seat + 1 and slot + 1: a card such as "10H", "?" for one that lies face down, NONE for an empty slot
local pile -- the top card of the discard pile, nil where the pile is empty
local drawn -- the card that we drew last
local turns = 0 -- our turns in this round

-- The points of a card. `values` holds them by rank, or by card where one differs from its rank.
local function cost(card)
  if card == NONE then
    return 0
  elseif card == "?" then
    return HIDDEN
  end
  local rank = card:sub(1, 1) == "X" and "X" or card:sub(1, -2) -- X1 is a joker; else the suit comes last
  return match.values[card] or match.values[rank]
end

local function total(layout)
  local sum = 0
  for _, card in ipairs(layout) do
    sum = sum + cost(card)
  end
  return sum
end

local function own_cost(slot)
  return cost(layouts[match.seat + 1][slot + 1])
end

-- Of these slots of ours the one whose card counts most; of equal ones another each turn.
local function worst(slots)
  local equal = {}
  for _, slot in ipairs(slots) do
    if #equal > 0 and own_cost(slot) > own_cost(equal[1]) then
      equal = {}
    end
    if #equal == 0 or own_cost(slot) == own_cost(equal[1]) then
      table.insert(equal, slot)
    end
  end
  return equal[turns % #equal + 1]
end

-- ---- Decisions. Each function gets the offers by their kind, and returns an action.

local decisions = {} -- decline answers all others

-- The start of our turn: end the round or draw a card.
function decisions.turn(offers)
  turns = turns + 1
  local mine = layouts[match.seat + 1] or {}
  local leads, has_higher = true, false
  for _, layout in ipairs(layouts) do
    leads = leads and total(layout) >= total(mine)
  end
  -- Next: end a round only with a good lead. `knock_penalty` in the options of the match is the price of a wrong end.
  local ending = offers.knock or offers["end"]
  if ending and leads and turns >= PATIENCE then
    return { kind = ending.kind }
  elseif not offers.draw then
    return nil
  end
  for _, card in ipairs(mine) do
    has_higher = has_higher or pile and cost(card) > cost(pile)
  end
  local sources = offers.draw.from.one_of
  for _, source in ipairs(sources) do
    if source == "pile" and has_higher and cost(pile) <= LOW then
      return { kind = "draw", from = "pile" }
    end
  end
  return { kind = "draw", from = sources[1] }
end

-- Where the drawn card goes: to the slot of our worst card, or to the pile.
function decisions.place(offers)
  if not offers.swap then
    return nil
  end
  -- Next: look for pairs. In many games equal cards in a line count nothing: see `cancel` in the options.
  local slot = worst(offers.swap.slot.one_of)
  if offers.discard and cost(drawn) >= own_cost(slot) then
    return { kind = "discard" }
  end
  return { kind = "swap", slot = slot }
end

-- Which of our cards is turned face up: any, but not the last one, which would end the round.
function decisions.flip(offers)
  local slots = offers.flip.slot.one_of
  if #slots == 1 and offers.none then
    return { kind = "none" }
  end
  return { kind = "flip", slot = slots[1] }
end

-- The first value that a choice allows: one of some, exactly so many of some, or as many of some as we like.
local function first_of(choice)
  if choice.one_of then
    return choice.one_of[1]
  end
  local some = choice.pick and { unpack(choice.of, 1, choice.pick) } or {}
  return setmetatable(some, { __jsontype = "array" }) -- an empty one is written as a list, too
end

-- Next: powers, pairs, strokes and slaps. Each wants a function in `decisions`, and slaps want `slaps = true` below.
local function decline(offers, legal)
  local offer = legal[1]
  for _, kind in ipairs({ "draw", "discard", "stop", "allow", "none", "pass" }) do
    offer = offers[kind] or offer
  end
  local action = {}
  for field, choice in pairs(offer) do
    action[field] = field == "kind" and choice or first_of(choice)
  end
  return action
end

-- ---- Messages.

-- The action for a request. `legal` lists all legal actions; the bot answers one of them.
local function decide(request)
  for _, event in ipairs(request.events) do
    if event.event == "round" then
      turns = 0
    elseif event.event == "drew" and event.seat == match.seat then
      drawn = event.card
    end -- Next: remember your cards in `looked`, `peeked`, `swapped`: write them over each `?` of your layout.
  end
  if request.table then
    layouts, pile = request.table.layouts, request.table.pile[1]
  end
  local offers = {}
  for i = #request.legal, 1, -1 do
    offers[request.legal[i].kind] = request.legal[i]
  end
  local choose = decisions[request.decision]
  return choose and choose(offers) or decline(offers, request.legal)
end

local function say(message)
  io.stdout:write(json.encode(message), "\n")
  io.stdout:flush() -- an answer that waits in a buffer comes too late
end

for line in io.lines() do
  local message = json.decode(line, 1, NONE)
  if message.type == "hello" then
    say({ type = "ready", name = "my-bot", slaps = false })
  elseif message.type == "match" then
    match, layouts, pile = message, {}, nil
  elseif message.type == "request" then
    say({ type = "answer", id = message.id, action = decide(message) })
  end -- `end` needs no answer. Another match may follow.
end
