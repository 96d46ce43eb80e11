# Plays six-card golf by no skill, but to its end, and starts at once: for runs in which it does not matter who plays.
# Turns up the first two cards, draws from where its seed says, and fills its slots one after another.

say() { printf '%s\n' "$1"; }
answer() { say "{\"type\":\"answer\",\"id\":\"$id\",\"action\":$1}"; }

while IFS= read -r line; do
  id=${line#*'"id":"'} && id=${id%%'"'*}
  case $line in
  '{"type":"hello"'*) say '{"type":"ready","slaps":false,"table":false}' ;;
  '{"type":"match"'*)
    seed=${line#*'"seed":'} && seed=${seed%%,*} && slot=0
    from=stock && [ $((seed % 2)) = 0 ] || from=pile
    ;;
  *'"decision":"turn_up"'*) answer '{"kind":"turn_up","slots":[0,1]}' ;;
  *'"decision":"turn"'*) answer "{\"kind\":\"draw\",\"from\":\"$from\"}" ;;
  *'"decision":"place"'*) answer "{\"kind\":\"swap\",\"slot\":$slot}" && slot=$(((slot + 1) % 6)) ;;
  esac
done
