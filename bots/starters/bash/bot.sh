#!/usr/bin/env bash
# A bot that plays every game of golfref legally. It remembers each card that it sees, keeps low ones and throws high
# ones away. One jq process reads all messages and remembers the table; for each request it writes a line of variables,
# with which Bash decides. Change the functions marked "Change this to play better".
#
# The referee writes one JSON message a line to standard input, and reads the answers from standard output. Write
# nothing else there: echo ... >&2 is for what helps you to find mistakes.

# shellcheck disable=SC2086,SC2016  # offered values are lists of words, and jq has variables of its own

LOW=4    # a card of at most so many points is kept
HIDDEN=5 # what a card counts that we do not know

# ---- Decisions. For each request these variables are set. The function that is called as the decision sets `action`;
# ---- where it sets none, or there is no such function, `cautious` is answered.

declare -A offered=()            # what may be answered: by kind of action the values of its field, of targets our slots
declare -a cards=()              # our cards by slot, such as 10H, ? for one that we do not know, empty where none lies
declare -a costs=()              # what they count
seat='' decision='' id=''        # our seat, what is asked, and what our answer must repeat
hand='' hand_points=''           # the card that was just drawn; empty where we do not see it
pile='' pile_points=''           # the top card of the discard pile; empty where the pile is empty
cautious=''                      # a legal action for whatever is asked

# The start of our turn. Change this to play better: how sure must you be before you end a round?
turn() {
  if [[ " ${cards[*]} " != *' ? '* ]] && (($(total "${!costs[@]}") <= LOW)); then
    if is_offered knock; then act knock; return; fi
    if is_offered end; then act end; return; fi
  fi
  if ! is_offered draw; then return; fi
  local sources=${offered[draw]}
  if [[ $sources != *pile* ]]; then
    act draw from '"stock"'
  elif [[ $sources != *stock* || ($pile && $pile_points -le $LOW) ]]; then
    act draw from '"pile"'
  else
    act draw from '"stock"'
  fi
}

# Where the drawn card goes. Change this to play better: in many games equal cards in a line count nothing.
place() {
  local slot
  if is_offered swap; then slot=$(worst ${offered[swap]}); fi
  if [[ $slot && $hand ]]; then
    if ! is_offered discard || ((hand_points <= LOW && hand_points < costs[slot])); then act swap slot "$slot"; return; fi
  fi
  if is_offered discard; then
    act discard
  elif [[ $slot ]]; then
    act swap slot "$slot"
  fi
}

# Which of our cards is turned face up.
flip() {
  if is_offered flip; then act flip slot "${offered[flip]%% *}"; fi
}

# The power of a card. Change this to play better: there are many more powers than to peek.
power() {
  local slot
  for slot in ${offered[peek]}; do
    if [[ ${cards[slot]} == '?' ]]; then act peek target "[$seat,$slot]"; return; fi
  done
}

# A card was discarded, and whoever throws an equal one first is rid of it. Here every microsecond counts.
slap() {
  local slot
  for slot in ${offered[slap]}; do
    if is_known "$slot" && is_same_rank "${cards[slot]}" "$pile" && ((costs[slot] > 0)); then
      act slap target "[$seat,$slot]"
      return
    fi
  done
}

# The card that another seat gets after we slapped one of its cards.
give() {
  if is_offered give; then act give slot "$(worst ${offered[give]})"; fi
}

# Whether our shield stops an attack.
block() {
  if is_offered block; then act block; fi
}

# The two-deck game: pairs that we may throw away.
pairs() {
  local row rows=()
  if ! is_offered discard_pairs; then return; fi
  for row in ${offered[discard_pairs]}; do
    if (($(total $((2 * row)) $((2 * row + 1))) > 0)); then rows+=("$row"); fi
  done
  local IFS=,
  act discard_pairs rows "[${rows[*]}]"
}

# Par golf: a row that we may take as a stroke.
stroke() {
  local row
  for row in ${offered[stroke]}; do
    local one=$((2 * row)) other=$((2 * row + 1))
    if is_known $one && is_known $other && ((costs[one] + costs[other] <= LOW)); then act stroke row "$row"; return; fi
  done
}

# ---- What the decisions use.

# act KIND [FIELD VALUE]: the action that is answered.
act() {
  action="{\"kind\":\"$1\"${2:+,\"$2\":$3}}"
}

is_offered() {
  [[ -v offered[$1] ]]
}

is_known() {
  [[ ${cards[$1]} && ${cards[$1]} != '?' ]]
}

# X1 and X2 are jokers; else the last character of a card is its suit.
is_same_rank() {
  [[ $2 && ($1 == X* && $2 == X* || ${1%?} == "${2%?}") ]]
}

# What these slots of ours count together.
total() {
  local slot sum=0
  for slot; do ((sum += costs[slot])); done
  echo $sum
}

# Of these slots of ours the one that counts most, the lowest number among equals.
worst() {
  local slot worst=$1
  for slot; do
    if ((costs[slot] > costs[worst] || costs[slot] == costs[worst] && slot < worst)); then worst=$slot; fi
  done
  echo "$worst"
}

# ---- What happened. Everything is told once, so jq keeps it: .layouts by seat and slot, .hand, .pile, and the message
# ---- that began the match as .match. Events that are not named here change nothing for us.

memory='
def rank: if startswith("X") then "X" else .[:-1] end;
def points($card): .match.values | .[$card] // .[$card | rank];

# What a card in a layout counts. Change this to play better: reckon with the cards that you have not seen yet.
def cost($card): if $card == null then 0 elif $card == "?" then $hidden else points($card) end;

def card_at($seat; $slot): .layouts[$seat][$slot];
def put($target; $card): .layouts[$target[0]][$target[1]] = $card;
def see($target; $card): if $card == null then . else put($target; $card) end;
def see_all($e): reduce range($e.slots | length) as $i (.; see([$e.seat, $e.slots[$i]]; $e.cards[$i]));
def discard($card): .pile = $card | .hand = null;
def exchange($one; $other):
  card_at($one[0]; $one[1]) as $card | put($one; card_at($other[0]; $other[1])) | put($other; $card);
def occupied($seat): .layouts[$seat] | [range(length) as $slot | select(.[$slot] != null) | $slot];
def turn_down($seat): reduce occupied($seat)[] as $slot (.; put([$seat, $slot]; "?"));

# A layout as it is told, with what we remember of the cards that it does not show.
def covered($seat; $layout):
  . as $known
  | [range($layout | length) as $slot
     | $layout[$slot] | if . == "?" then ($known | card_at($seat; $slot)) // "?" else . end];

def remember($e):
  [$e.seat, $e.slot] as $place
  | if $e.event == "round" then
      [range($e.rows * .match.columns) | "?"] as $layout | .layouts = [range(.match.seats) | $layout] | discard(null)
    elif $e.event == "up_card" then .pile = $e.card
    elif $e.event == "turned_up" or $e.event == "looked" then see_all($e)
    elif $e.event == "swapped_own" then exchange([$e.seat, $e.slots[0]]; [$e.seat, $e.slots[1]]) | see_all($e)
    elif $e.event == "arranged" and $e.slots then
      [$e.slots[] as $from | card_at($e.seat; $from)] as $cards
      | reduce range($cards | length) as $slot (.; put([$e.seat, $slot]; $cards[$slot]))
    elif $e.event == "drew" then .hand = $e.card
    elif $e.event == "swapped" then put($place; $e.card // "?") | discard($e.replaced)
    elif $e.event == "discarded" or $e.event == "power" then discard($e.card)
    elif $e.event == "traded" then put($e.target; $e.given) | .hand = $e.taken
    elif $e.event == "peeked" or $e.event == "exposed" then see($e.target; $e.card)
    elif $e.event == "switched" then exchange($e.targets[0]; $e.targets[1])
    elif $e.event == "rearranged" and $e.slots == null then turn_down($e.of)
    elif $e.event == "rearranged" then
      occupied($e.of) as $slots
      | [$e.slots[] as $from | card_at($e.of; $from)] as $cards
      | reduce range($slots | length) as $i (.; put([$e.of, $slots[$i]]; $cards[$i]))
    elif $e.event == "lines_swapped" then
      turn_down($e.of) | .layouts[$e.of] = covered($e.of; $e.layout)
    elif $e.event == "shuffled" then turn_down($e.of)
    elif $e.event == "added" then put($e.target; "?")
    elif $e.event == "removed" then put($e.target; null) | .pile = $e.card
    elif $e.event == "planted" then put($e.target; $e.card) | discard($e.replaced)
    elif $e.event == "kept" then put($place; $e.card // "?") | discard($e.discarded[-1] // .pile)
    elif $e.event == "blocked" then .pile = ($e.shield // .pile)
    elif $e.event == "pairs_discarded" then
      reduce $e.rows[] as $row (.; put([$e.seat, 2 * $row]; null) | put([$e.seat, 2 * $row + 1]; null))
      | .pile = ($e.cards[-1] // .pile)
    elif $e.event == "slapped" and $e.verdict == "right" then put($e.target; null) | .pile = $e.card
    elif $e.event == "slapped" and $e.new_slot != null and $e.target[0] != $e.seat then
      put($e.target; null) | put([$e.seat, $e.new_slot]; $e.card)   # the slapper has to take this card
    elif $e.event == "slapped" then
      put($e.target; $e.card)   # it went back, and everybody has seen it
      | if $e.new_slot == null then . else put([$e.seat, $e.new_slot]; "?") end   # a penalty
    elif $e.event == "gave" then put($e.target; card_at($e.seat; $e.slot)) | put($place; null)
    else . end;

# The table as everybody sees it.
def look($table):
  if $table == null then . else
    .layouts = [range($table.layouts | length) as $seat | covered($seat; $table.layouts[$seat])]
    | .pile = $table.pile[0]
  end;

# A value that a choice allows: one of some, exactly so many of some, or as many of some as we like.
def first_of: if has("one_of") then .one_of[0] elif has("pick") then .of[:.pick] else [] end;

# A legal answer to any request, also to decisions that did not exist when this bot was written.
def cautious($legal):
  ("pass", "none", "allow", "stop", "discard", "draw", $legal[0].kind) as $kind
  | first($legal[] | select(.kind == $kind))
  | with_entries(if .key == "kind" then . else .value |= first_of end);

# The values that an offer allows for its first field, in one text; of targets our own slots.
def allowed($seat):
  [del(.kind) | to_entries[0].value | if . then (.one_of // .any_of // .of)[] else empty end
   | if type == "array" then select(.[0] == $seat)[1] else . end | tostring] | join(" ");

# A line of variables for Bash; @sh quotes what stands in it.
def variables($request):
  .match.seat as $seat
  | .layouts[$seat] as $own
  | @sh "seat=\($seat) decision=\($request.decision) id=\($request.id | tojson) hand=\(.hand // "") pile=\(.pile // "")"
  + @sh " hand_points=\(if .hand then points(.hand) else "" end) pile_points=\(if .pile then points(.pile) else "" end)"
  + @sh " cards=(\($own | map(. // ""))) costs=(\([cost($own[])]))"
  + @sh " cautious=\(first(cautious($request.legal)) | tojson)"
  + " offered=(" + ([$request.legal | reverse[] | "[" + @sh "\(.kind)" + "]=" + @sh "\(allowed($seat))"] | join(" ")) + ")";

foreach inputs as $message ({};
  if $message.type == "match" then {match: $message, layouts: [range($message.seats) | []], hand: null, pile: null}
  elif $message.type == "request" then reduce $message.events[] as $event (.; remember($event)) | look($message.table)
  else . end;
  if $message.type == "hello" then "decision=hello"
  elif $message.type == "request" then variables($message)
  else empty end)
'

while read -r variables; do
  eval "$variables"
  if [[ $decision == hello ]]; then
    echo '{"type":"ready","name":"my-bot","version":"1"}' # with "slaps":false a bot is never asked to slap
    continue
  fi
  action=$cautious
  case $decision in
    turn | place | flip | power | slap | give | block | pairs | stroke) "$decision" ;;
  esac
  printf '{"type":"answer","id":%s,"action":%s}\n' "$id" "$action"
done < <(exec jq -nr --unbuffered --argjson hidden "$HIDDEN" "$memory")

wait $! # jq, which is still ending: nothing that a bot has started may outlive it
