#!/usr/bin/env bash
# A bot that plays every game of golfref legally. It keeps low cards and throws high ones away, judging by the cards
# that lie open. One jq process reads all messages and writes a line of variables for each request, with which
# Bash decides. Four comments that begin with "Next:" say what to add.
#
# The referee writes one JSON message a line to standard input, and reads the answers from standard output. Write
# nothing else there: use echo ... >&2 to print what helps you to find mistakes.

# shellcheck disable=SC2086,SC2016  # offered values are lists of words, and jq has variables of its own

LOW=4      # a card of at most so many points is taken from the pile
HIDDEN=5   # the points of a card that lies face down
PATIENCE=4 # the first own turn of a round in which the bot may end it

# ---- Decisions. jq sets these variables for each request. Each function sets `action`, or leaves it as `declining`.

declare -A offered=()      # the legal actions: by kind the values of its field
declare -a costs=()        # the points of our cards by slot
least=0                    # the lowest total of any seat's cards
turns=0                    # our turns in this round
drawn=0 pile=''            # the points of the card that we drew last, and of the top card of the pile if there is one
decision='' id=''          # what is asked, and what our answer must repeat
declining=''               # a legal action for whatever is asked

# The start of our turn: end the round or draw a card.
turn() {
  local kind cost sum=0 worst=0 sources=${offered[draw]}
  for cost in "${costs[@]}"; do
    ((sum += cost))
    if ((cost > worst)); then worst=$cost; fi
  done
  # Next: end a round only with a good lead. `knock_penalty` in the options is the price of a wrong end.
  for kind in knock end; do
    if [[ -v offered[$kind] ]] && ((turns >= PATIENCE && sum <= least)); then act $kind; return; fi
  done
  if [[ $sources == *pile* && $pile ]] && ((pile <= LOW && pile < worst)); then
    act draw from '"pile"'
  elif [[ $sources ]]; then
    act draw from "\"${sources%% *}\""
  fi
}

# Where the drawn card goes: to the slot of our worst card, or to the pile.
place() {
  local slot most=0 equal=()
  # Next: look for pairs. In many games equal cards in a line count nothing: see `cancel` in the options.
  for slot in ${offered[swap]}; do # the slots of our worst card; of equal ones another each turn
    if [[ ! ${equal[*]} ]] || ((costs[slot] > most)); then
      equal=("$slot") most=${costs[slot]}
    elif ((costs[slot] == most)); then
      equal+=("$slot")
    fi
  done
  if [[ ! ${equal[*]} ]]; then return; fi
  slot=${equal[turns % ${#equal[@]}]}
  if [[ -v offered[discard] ]] && ((drawn >= costs[slot])); then act discard; else act swap slot "$slot"; fi
}

# Which of our cards is turned face up: any, but not the last one, which would end the round.
flip() {
  if [[ ${offered[flip]} == *' '* || ! -v offered[none] ]]; then act flip slot "${offered[flip]%% *}"; fi
}

# act KIND [FIELD VALUE]: the action that is answered.
act() {
  action="{\"kind\":\"$1\"${2:+,\"$2\":$3}}"
}

# ---- Messages. jq keeps the message that began the match as .match, and of what happened .turns, .drawn and .table.

messages='
# The points of a card. `values` holds them by rank, or by card where one differs from its rank; X1 and X2 are jokers.
def cost($values; $card):
  if $card == null then 0
  elif $card == "?" then $hidden
  else $values | .[$card] // .[if $card[:1] == "X" then "X" else $card[:-1] end] end;

# Next: remember your cards in `looked`, `peeked`, `swapped`: write them over each `?` of your layout.
def remember($e):
  if $e.event == "round" then .turns = 0
  elif $e.event == "drew" and $e.seat == .match.seat then .drawn = $e.card
  else . end;

# The first value that a choice allows: one of some, exactly so many of some, or as many of some as we like.
def first_of: if has("one_of") then .one_of[0] elif has("pick") then .of[:.pick] else [] end;

# Next: powers, pairs, strokes and slaps. Each wants a function in Bash, and slaps want "slaps":true below.
def decline($legal):
  ("pass", "none", "allow", "stop", "discard", "draw", $legal[0].kind) as $kind
  | first($legal[] | select(.kind == $kind))
  | with_entries(if .key == "kind" then . else .value |= first_of end);

# A line of variables for Bash; @sh quotes what stands in it.
def variables($request):
  .match.values as $values
  | [.table.layouts[] | [cost($values; .[])]] as $costs
  | @sh "decision=\($request.decision) id=\($request.id | tojson) turns=\(.turns) drawn=\(cost($values; .drawn))"
  + @sh " pile=\(if .table.pile == [] then "" else cost($values; .table.pile[0]) end)"
  + @sh " least=\([$costs[] | add] | min // 0) costs=(\($costs[.match.seat] // []))"
  + @sh " declining=\(first(decline($request.legal)) | tojson)"
  + " offered=(" + ([$request.legal[] | "[" + @sh "\(.kind)" + "]="
                     + @sh "\([del(.kind)[].one_of[]? | tostring] | join(" "))"] | join(" ")) + ")";

foreach inputs as $message ({};
  if $message.type == "match" then {match: $message, table: {layouts: [], pile: []}, turns: 0, drawn: null}
  elif $message.type == "request" then
    reduce $message.events[] as $event (.; remember($event))
    | .table = ($message.table // .table)
    | if $message.decision == "turn" then .turns += 1 else . end
  else . end;
  if $message.type == "hello" then "decision=hello"
  elif $message.type == "request" then variables($message)
  else empty end)
'

while read -r variables; do
  eval "$variables"
  if [[ $decision == hello ]]; then
    echo '{"type":"ready","name":"my-bot","slaps":false}'
    continue
  fi
  action=$declining
  case $decision in
    turn | place | flip) "$decision" ;;
  esac
  printf '{"type":"answer","id":%s,"action":%s}\n' "$id" "$action"
done < <(exec jq -nr --unbuffered --argjson hidden "$HIDDEN" "$messages")

wait $! # jq, which is still ending: nothing that a bot has started may outlive it
