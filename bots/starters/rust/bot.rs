//! A bot that plays every game of golfref legally. It keeps low cards and throws high ones away, judging by the cards
//! that lie open. Four comments that begin with "Next:" say what to add.
//!
//! It reads JSON messages from standard input, a line each, and writes its answers to standard output. Print nothing
//! else there: use `eprintln!`, which writes to standard error, for what helps you to find mistakes.

use serde_json::{json, Value};
use std::io::{self, BufRead, Write};

/// A card of at most so many points is taken from the pile.
const LOW: i64 = 4;
/// The points of a card that lies face down.
const HIDDEN: i64 = 5;
/// The first own turn of a round in which the bot may end it.
const PATIENCE: usize = 4;

fn main() -> io::Result<()> {
    let mut bot = Bot::default();
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        match message["type"].as_str().unwrap_or_default() {
            "hello" => write(json!({"type": "ready", "name": "my-bot", "slaps": false}))?,
            "match" => bot = Bot { message, ..Bot::default() },
            "request" => write(json!({"type": "answer", "id": message["id"], "action": bot.decide(&message)}))?,
            _ => {} // `end` needs no answer. Another match may follow.
        }
    }
    Ok(())
}

/// Sends a line at once.
fn write(message: Value) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(format!("{message}\n").as_bytes())?;
    output.flush()
}

/// What this bot knows of the match that it plays.
#[derive(Default)]
struct Bot {
    /// The message that began it: our seat, what cards are worth, the options of the game.
    message: Value,
    /// The table as everybody sees it, as the latest request showed it.
    table: Value,
    /// The card that we drew last.
    drawn: Value,
    /// Our turns in this round.
    turns: usize,
    /// What the request offers.
    legal: Vec<Value>,
}

impl Bot {
    /// One of the legal actions.
    fn decide(&mut self, request: &Value) -> Value {
        for event in list(&request["events"]) {
            if event["event"] == "round" {
                self.turns = 0;
            } else if event["event"] == "drew" && event["seat"] == self.message["seat"] {
                self.drawn = event["card"].clone();
            } // Next: remember your cards in `looked`, `peeked`, `swapped`: write them over each `?` of your layout.
        }
        if request["table"].is_object() {
            self.table = request["table"].clone();
        }
        self.legal = list(&request["legal"]).to_vec();
        let action = match request["decision"].as_str() {
            Some("turn") => self.turn(),
            Some("place") => self.place(),
            Some("flip") => self.flip(),
            _ => None,
        };
        action.unwrap_or_else(|| self.decline())
    }

    /// The start of our turn: end the round or draw a card.
    fn turn(&mut self) -> Option<Value> {
        self.turns += 1;
        // Next: end a round only with a good lead. `knock_penalty` in the options is the price of a wrong end.
        let leads = list(&self.table["layouts"]).iter().all(|layout| self.total(layout) >= self.total(self.own()));
        if let Some(ending) = self.offer("knock").or(self.offer("end")).filter(|_| leads && self.turns >= PATIENCE) {
            return Some(ending.clone());
        }
        let sources = list(&self.offer("draw")?["from"]["one_of"]);
        let top = &self.table["pile"][0];
        let helps = list(self.own()).iter().any(|card| self.cost(card) > self.cost(top));
        if sources.contains(&json!("pile")) && top.is_string() && self.cost(top) <= LOW && helps {
            return Some(json!({"kind": "draw", "from": "pile"}));
        }
        Some(json!({"kind": "draw", "from": sources[0]}))
    }

    /// Where the drawn card goes: to the slot of our worst card, or to the pile.
    fn place(&self) -> Option<Value> {
        // Next: look for pairs. In many games equal cards in a line count nothing: see `cancel` in the options.
        let slot = self.worst(list(&self.offer("swap")?["slot"]["one_of"]));
        if self.offer("discard").is_some() && self.cost(&self.drawn) >= self.own_cost(slot) {
            return Some(json!({"kind": "discard"}));
        }
        Some(json!({"kind": "swap", "slot": slot}))
    }

    /// Which of our cards is turned face up: any, but not the last one, which would end the round.
    fn flip(&self) -> Option<Value> {
        let slots = list(&self.offer("flip")?["slot"]["one_of"]);
        if slots.len() == 1 && self.offer("none").is_some() {
            return Some(json!({"kind": "none"}));
        }
        Some(json!({"kind": "flip", "slot": slots[0]}))
    }

    /// Next: powers, pairs, strokes and slaps. Each wants a line in `decide`, and slaps want `"slaps": true` in `main`.
    fn decline(&self) -> Value {
        let kinds = ["pass", "none", "allow", "stop", "discard", "draw"];
        let mut action = kinds.iter().find_map(|kind| self.offer(kind)).unwrap_or(&self.legal[0]).clone();
        for (field, choice) in action.as_object_mut().expect("an offer is an object") {
            if field != "kind" {
                *choice = first_of(choice);
            }
        }
        action
    }

    /// The offer of this kind.
    fn offer(&self, kind: &str) -> Option<&Value> {
        self.legal.iter().find(|offer| offer["kind"] == kind)
    }

    /// Our cards by slot: a card such as "10H", "?" for one that lies face down, null for an empty slot.
    fn own(&self) -> &Value {
        &self.table["layouts"][self.message["seat"].as_u64().unwrap_or_default() as usize]
    }

    fn own_cost(&self, slot: &Value) -> i64 {
        self.cost(&self.own()[slot.as_u64().unwrap_or_default() as usize])
    }

    /// Of these slots of ours the one whose card counts most; of equal ones another each turn.
    fn worst<'a>(&self, slots: &'a [Value]) -> &'a Value {
        let most = slots.iter().map(|slot| self.own_cost(slot)).max();
        let equal: Vec<_> = slots.iter().filter(|slot| Some(self.own_cost(slot)) == most).collect();
        equal[self.turns % equal.len()]
    }

    fn total(&self, layout: &Value) -> i64 {
        list(layout).iter().map(|card| self.cost(card)).sum()
    }

    /// The points of a card. `values` holds them by rank, or by card where one differs from its rank.
    fn cost(&self, card: &Value) -> i64 {
        let values = &self.message["values"];
        match card.as_str() {
            None => 0,
            Some("?") => HIDDEN,
            Some(code) => {
                // X1 is a joker; else the suit comes last.
                let rank = if code.starts_with('X') { "X" } else { &code[..code.len() - 1] };
                values[code].as_i64().or(values[rank].as_i64()).unwrap_or_default()
            }
        }
    }
}

/// The first value that a choice allows: one of some, exactly so many of some, or as many of some as we like.
fn first_of(choice: &Value) -> Value {
    match (choice["one_of"].get(0), choice["pick"].as_u64()) {
        (Some(value), _) => value.clone(),
        (None, Some(pick)) => json!(list(&choice["of"])[..pick as usize]),
        (None, None) => json!([]),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
