#!/bin/sh
# Plays the eight authors of the tutorial: makes their twelve entries in the folder MAIL, packed as each of them would.
#
#     sh authors.sh MAIL
#
# Every entry begins as `golfref new` writes it, and differs in a line or two. Two of them are bad: the C of bunker does not
# compile, and hazard answers what it was not offered. In MAIL/later lies what the author of bunker sends in the end.
set -eu
mkdir -p "${1:?name a folder for the entries}/later"
cd "$1"

# entry NAME LANGUAGE OWNER: a new entry in a folder of its name, with its owner in bot.toml.
entry() {
  golfref new "$1.project" --name "$1" --language "$2" >"$1.log" 2>&1 || { cat "$1.log"; exit 1; }
  mv "$1.project/bot" "$1"
  sed -i -e "s/^# owner = .*/owner = \"$3\"/" -e "s/^# contact = .*/contact = \"$3@example.org\"/" "$1/bot.toml"
  rm -rf "$1.project" "$1.log" "$1/bot" "$1/classes"  # what was built; a competition builds it itself
}

# change FILE FROM TO: the author's change. A starter that is written otherwise now is an error.
change() {
  grep -q "$2" "$1" || { echo "$1 has no line with: $2"; exit 1; }
  sed -i "s/$2/$3/" "$1"
}

as_zip() { python3 -m zipfile -c "$1.zip" "$1" && rm -r "$1"; }
as_tar() { tar -czf "$1.tar.gz" "$1" && rm -r "$1"; }

entry albatross python ann  # leaves every decision to the kit
cat >albatross/bot.py <<'END'
from kit import Bot, run


class Albatross(Bot):
    name = "albatross"
    version = "1"


run(Albatross)
END

entry bogey python ann  # takes few cards from the pile
change bogey/bot.py '^LOW = 4' 'LOW = 1'

entry bunker c bela
change bunker/bot.c '^    LOW = 4' '    LOW = 5'
cp -r bunker later/bunker
change bunker/bot.c '"%s\\n", line' '"%s\\n", lime'
(cd later && as_zip bunker)

entry caddie c bela
change caddie/bot.c '^    LOW = 4' '    LOW = 6'
as_zip caddie

entry condor perl chen
change condor/bot.pl 'LOW      => 4' 'LOW      => 5'
as_tar condor

entry driver go dana
change driver/bot.go 'low      = 4' 'low      = 3'
as_zip driver

entry eagle javascript emil
change eagle/bot.mjs '^const HIDDEN = 5' 'const HIDDEN = 6'

entry fairway javascript emil
change fairway/bot.mjs '^const LOW = 4' 'const LOW = 7'
as_zip fairway

entry green java fatou
change green/Bot.java 'LOW = 4' 'LOW = 6'
as_tar green

entry hazard ruby goran  # takes its top row in par golf, also when it has taken it already
change hazard/bot.rb "    when 'flip' then flip" "&\\n    when 'stroke' then { kind: 'stroke', row: 0 }"

entry links lua hana
change links/bot.lua '^local LOW = 4' 'local LOW = 2'
as_tar links

entry mulligan lua hana
change mulligan/bot.lua '^local HIDDEN = 5' 'local HIDDEN = 8'
