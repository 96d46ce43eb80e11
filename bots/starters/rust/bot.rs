//! A bot that plays every game of golfref. It remembers the cards that it has seen, keeps low ones and throws high ones
//! away.
//!
//! It reads JSON messages from standard input, a line each, and answers `hello` and every `request` with a line on
//! standard output. Print nothing else there: what you want to see of a match goes to standard error (`eprintln!`).
//! Read it from the top, and change what is marked "Change this to play better".

use serde_json::{json, Value};
use std::io::{self, BufRead, Write};

/// A card of at most so many points is kept.
const LOW: i64 = 4;
/// Points that an unknown card counts for.
const HIDDEN: i64 = 5;

fn main() -> io::Result<()> {
    let mut game = Match::new(Value::Null);
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        match text(&message["type"]) {
            "hello" => say(json!({"type": "ready", "name": "my-bot", "version": "1"}))?,
            "match" => game = Match::new(message),
            "request" => say(json!({"type": "answer", "id": message["id"], "action": game.decide(&message)}))?,
            _ => {} // `end` needs no answer. Another match may follow.
        }
    }
    Ok(())
}

/// Writes a line at once.
fn say(message: Value) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(format!("{message}\n").as_bytes())?;
    output.flush()
}

/// What lies in a slot, as far as this bot knows.
#[derive(Clone, PartialEq)]
enum Card {
    Empty,
    Unknown,
    Known(String),
}
use Card::{Empty, Known, Unknown};

/// A seat and one of its slots.
type Place = (usize, usize);

/// What this bot knows of the match that it plays.
struct Match {
    /// The message that began it.
    message: Value,
    seat: usize,
    /// By seat and slot.
    layouts: Vec<Vec<Card>>,
    /// The card that was drawn.
    hand: Card,
    /// The top card of the discard pile.
    pile: Card,
}

impl Match {
    fn new(message: Value) -> Match {
        let seat = number(&message["seat"]);
        Match { message, seat, layouts: Vec::new(), hand: Empty, pile: Empty }
    }

    /// Reads what has happened, and gives an action that is offered.
    fn decide(&mut self, request: &Value) -> Value {
        for event in list(&request["events"]) {
            self.read(event);
        }
        let table = &request["table"];
        if table.is_object() {
            for (seat, layout) in list(&table["layouts"]).iter().enumerate() {
                self.look(seat, layout);
            }
            self.pile = card(&table["pile"][0]);
        }
        let offers = Offers(list(&request["legal"]));
        self.choose(text(&request["decision"]), offers).unwrap_or_else(|| offers.least_committal())
    }

    // ---- Decisions.

    /// The best of the actions that are offered, as far as this bot sees, or nothing where it does not care.
    fn choose(&self, decision: &str, offers: Offers) -> Option<Value> {
        match decision {
            "turn" => self.turn(offers),
            "place" => self.place(offers),
            // Which of our cards is turned face up.
            "flip" => offers.choices("flip", "slot").first().map(|slot| json!({"kind": "flip", "slot": slot})),
            // What a card does. Change this to play better: there are many more powers than to peek.
            "power" => {
                let target = offers.choices("peek", "target").iter().find(|target| {
                    let (seat, slot) = place(target);
                    seat == self.seat && self.own(slot) == Unknown
                })?;
                Some(json!({"kind": "peek", "target": target}))
            }
            // Who throws a card of the rank of the discard first is rid of it: here every microsecond counts.
            "slap" => {
                let target = offers.choices("slap", "target").iter().find(|target| {
                    let (seat, slot) = place(target);
                    seat == self.seat && self.is_worth_throwing(&self.own(slot))
                })?;
                Some(json!({"kind": "slap", "target": target}))
            }
            // The card that another seat gets after we slapped one of its cards.
            "give" => Some(json!({"kind": "give", "slot": self.worst(offers.choices("give", "slot"))?})),
            // Whether our shield stops an attack.
            "block" => offers.find("block").map(|_| json!({"kind": "block"})),
            // Which rows to throw away in the two-deck game.
            "pairs" => {
                offers.find("discard_pairs")?;
                let rows = offers.choices("discard_pairs", "rows").iter();
                let costly: Vec<&Value> = rows.filter(|row| self.row_cost(number(row)) > 0).collect();
                Some(json!({"kind": "discard_pairs", "rows": costly}))
            }
            // Whether to take a row in par golf.
            "stroke" => {
                let row = offers.choices("stroke", "row").iter().find(|row| {
                    let row = number(row);
                    let is_known = |slot| matches!(self.own(slot), Known(_));
                    is_known(2 * row) && is_known(2 * row + 1) && self.row_cost(row) <= LOW
                })?;
                Some(json!({"kind": "stroke", "row": row}))
            }
            _ => None,
        }
    }

    /// The start of our turn. Change this to play better: how sure must you be before you end a round?
    fn turn(&self, offers: Offers) -> Option<Value> {
        let own = &self.layouts[self.seat];
        if !own.contains(&Unknown) && own.iter().map(|card| self.cost(card)).sum::<i64>() <= LOW {
            if let Some(kind) = ["knock", "end"].into_iter().find(|kind| offers.find(kind).is_some()) {
                return Some(json!({ "kind": kind }));
            }
        }
        let sources = offers.choices("draw", "from");
        let (stock, pile) = (sources.contains(&json!("stock")), sources.contains(&json!("pile")));
        let pile_is_low = matches!(self.pile, Known(_)) && self.cost(&self.pile) <= LOW;
        match (stock, pile) {
            (false, false) => None,
            (false, true) => Some(json!({"kind": "draw", "from": "pile"})),
            (true, true) if pile_is_low => Some(json!({"kind": "draw", "from": "pile"})),
            _ => Some(json!({"kind": "draw", "from": "stock"})),
        }
    }

    /// Where the drawn card goes. Change this to play better: in many games equal cards in a line count nothing.
    fn place(&self, offers: Offers) -> Option<Value> {
        let discard = offers.find("discard").map(|_| json!({"kind": "discard"}));
        if let Some(worst) = self.worst(offers.choices("swap", "slot")) {
            let points = self.cost(&self.hand);
            let helps = matches!(self.hand, Known(_)) && points <= LOW && points < self.cost(&self.own(worst));
            if helps || discard.is_none() {
                return Some(json!({"kind": "swap", "slot": worst}));
            }
        }
        discard
    }

    // ---- What cards count for.

    /// What a card counts for, as far as this bot knows. Change this to play better: which cards are left?
    fn cost(&self, card: &Card) -> i64 {
        let values = &self.message["values"];
        match card {
            Empty => 0,
            Unknown => HIDDEN,
            Known(card) => values[card].as_i64().or_else(|| values[rank(card)].as_i64()).unwrap_or(HIDDEN),
        }
    }

    fn row_cost(&self, row: usize) -> i64 {
        self.cost(&self.own(2 * row)) + self.cost(&self.own(2 * row + 1))
    }

    /// The slot of ours whose card costs most, the first one among equals.
    fn worst(&self, slots: &[Value]) -> Option<usize> {
        slots.iter().map(number).min_by_key(|&slot| (-self.cost(&self.own(slot)), slot))
    }

    fn is_worth_throwing(&self, card: &Card) -> bool {
        match (card, &self.pile) {
            (Known(own), Known(top)) => rank(own) == rank(top) && self.cost(card) > 0,
            _ => false,
        }
    }

    // ---- What happened. Everything is told once, so it is kept here.

    /// Takes over what an event tells. Events that are not named here move no card, or are new.
    fn read(&mut self, event: &Value) {
        let seat = number(&event["seat"]);
        let slot = (seat, number(&event["slot"]));
        let target = place(&event["target"]);
        match text(&event["event"]) {
            "round" => {
                let slots = number(&event["rows"]) * number(&self.message["columns"]);
                self.layouts = vec![vec![Unknown; slots]; number(&self.message["seats"])];
                self.discard(Empty);
            }
            "up_card" => self.pile = card(&event["card"]),
            "turned_up" | "looked" => self.uncover(event),
            "swapped_own" => {
                self.switch((seat, number(&event["slots"][0])), (seat, number(&event["slots"][1])));
                self.uncover(event);
            }
            "arranged" if event["slots"].is_array() => self.rearrange(seat, list(&event["slots"])),
            "drew" => self.hand = card(&event["card"]),
            "swapped" => {
                self.put(slot, card_or_unknown(&event["card"]));
                self.discard(card(&event["replaced"]));
            }
            "discarded" | "power" => self.discard(card(&event["card"])),
            "traded" => {
                self.put(target, card(&event["given"]));
                self.hand = card(&event["taken"]);
            }
            "peeked" | "exposed" if !event["card"].is_null() => self.put(target, card(&event["card"])),
            "switched" => self.switch(place(&event["targets"][0]), place(&event["targets"][1])),
            "rearranged" if event["slots"].is_array() => self.rearrange(number(&event["of"]), list(&event["slots"])),
            "rearranged" | "shuffled" => self.forget(number(&event["of"])),
            "lines_swapped" => {
                self.forget(number(&event["of"]));
                self.look(number(&event["of"]), &event["layout"]);
            }
            "added" => self.put(target, Unknown),
            "removed" => {
                self.put(target, Empty);
                self.pile = card(&event["card"]);
            }
            "planted" => {
                self.put(target, card(&event["card"]));
                self.discard(card(&event["replaced"]));
            }
            "kept" => {
                self.put(slot, card_or_unknown(&event["card"]));
                let top = list(&event["discarded"]).last().map_or(self.pile.clone(), card);
                self.discard(top);
            }
            "blocked" if !event["shield"].is_null() => self.pile = card(&event["shield"]),
            "pairs_discarded" => {
                for row in list(&event["rows"]).iter().map(number) {
                    self.put((seat, 2 * row), Empty);
                    self.put((seat, 2 * row + 1), Empty);
                }
                if let Some(top) = list(&event["cards"]).last() {
                    self.pile = card(top);
                }
            }
            "slapped" => self.slapped(event),
            "gave" => {
                self.put(target, self.at(slot));
                self.put(slot, Empty);
            }
            _ => {}
        }
    }

    /// A right card lies on the pile now. Any other is back, or the slapper's, who has got a card in a new slot.
    fn slapped(&mut self, event: &Value) {
        let (target, slapper) = (place(&event["target"]), number(&event["seat"]));
        if event["verdict"] == "right" {
            self.put(target, Empty);
            self.pile = card(&event["card"]);
            return;
        }
        self.put(target, card(&event["card"]));
        if event["new_slot"].is_null() {
            return;
        }
        let new_place = (slapper, number(&event["new_slot"]));
        if target.0 == slapper {
            self.put(new_place, Unknown);
        } else {
            self.put(new_place, card(&event["card"]));
            self.put(target, Empty);
        }
    }

    fn at(&self, (seat, slot): Place) -> Card {
        self.layouts.get(seat).and_then(|layout| layout.get(slot)).cloned().unwrap_or(Empty)
    }

    fn own(&self, slot: usize) -> Card {
        self.at((self.seat, slot))
    }

    /// Puts a card into a slot. Slots beyond the end of a layout are new ones.
    fn put(&mut self, (seat, slot): Place, card: Card) {
        if self.layouts.len() <= seat {
            self.layouts.resize(seat + 1, Vec::new());
        }
        let layout = &mut self.layouts[seat];
        if layout.len() <= slot {
            layout.resize(slot + 1, Empty);
        }
        layout[slot] = card;
    }

    fn discard(&mut self, card: Card) {
        self.pile = card;
        self.hand = Empty;
    }

    fn switch(&mut self, one: Place, other: Place) {
        let (first, second) = (self.at(one), self.at(other));
        self.put(one, second);
        self.put(other, first);
    }

    /// Notes the cards that were shown.
    fn uncover(&mut self, event: &Value) {
        for (slot, shown) in list(&event["slots"]).iter().zip(list(&event["cards"])) {
            if !shown.is_null() {
                self.put((number(&event["seat"]), number(slot)), card(shown));
            }
        }
    }

    /// The first occupied slot gets the card of the first of `slots`, and so on.
    fn rearrange(&mut self, seat: usize, slots: &[Value]) {
        let cards: Vec<Card> = slots.iter().map(|slot| self.at((seat, number(slot)))).collect();
        let occupied = self.layouts[seat].iter_mut().filter(|card| **card != Empty);
        for (slot, card) in occupied.zip(cards) {
            *slot = card;
        }
    }

    fn forget(&mut self, seat: usize) {
        for card in self.layouts[seat].iter_mut().filter(|card| **card != Empty) {
            *card = Unknown;
        }
    }

    /// Takes over what lies open. What lies face down stays as this bot remembers it.
    fn look(&mut self, seat: usize, layout: &Value) {
        for (slot, seen) in list(layout).iter().enumerate() {
            if seen != "?" || self.at((seat, slot)) == Empty {
                self.put((seat, slot), card(seen));
            }
        }
        self.layouts[seat].truncate(list(layout).len());
    }
}

// ---- What is offered.

/// The actions that are legal now: kinds of actions, with a choice for each of their fields.
#[derive(Clone, Copy)]
struct Offers<'a>(&'a [Value]);

impl<'a> Offers<'a> {
    fn find(self, kind: &str) -> Option<&'a Value> {
        self.0.iter().find(|offer| offer["kind"] == kind)
    }

    /// What a field of an action may be: one of these, or any of these. Nothing where the kind is not offered.
    fn choices(self, kind: &str, field: &str) -> &'a [Value] {
        let choice = self.find(kind).map_or(&Value::Null, |offer| &offer[field]);
        list(choice.get("one_of").unwrap_or(&choice["any_of"]))
    }

    /// A legal action for any request, also for decisions that did not exist when this bot was written.
    fn least_committal(self) -> Value {
        let kinds = ["pass", "none", "allow", "stop", "discard", "draw"];
        let offer = kinds.into_iter().find_map(|kind| self.find(kind)).unwrap_or(&self.0[0]);
        let mut action = offer.clone();
        for (field, value) in action.as_object_mut().into_iter().flatten().filter(|(field, _)| *field != "kind") {
            let choice = &offer[field];
            *value = match (&choice["one_of"], &choice["of"]) {
                (Value::Array(values), _) => values[0].clone(),
                (_, Value::Array(values)) => json!(values[..number(&choice["pick"])]),
                _ => json!([]),
            }
        }
        action
    }
}

// ---- JSON.

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap_or(0) as usize
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn place(value: &Value) -> Place {
    (number(&value[0]), number(&value[1]))
}

fn card(value: &Value) -> Card {
    match value.as_str() {
        None => Empty,
        Some("?") => Unknown,
        Some(card) => Known(card.to_string()),
    }
}

fn card_or_unknown(value: &Value) -> Card {
    if value.is_null() {
        Unknown
    } else {
        card(value)
    }
}

/// A rank is all of a card but its last character, the suit. Jokers are X1, X2 and so on.
fn rank(card: &str) -> &str {
    if card.starts_with('X') {
        "X"
    } else {
        &card[..card.len() - 1]
    }
}
