// A bot that plays every game of golfref. It remembers the cards that it has seen, keeps low ones and throws high ones
// away.
//
// It reads JSON messages from standard input, a line each, and answers `hello` and every `request` with a line on
// standard output. Print nothing else there: what you want to see of a match goes to standard error. Read it from the top,
// and change what is marked "Change this to play better".
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
)

const (
	low    = 4 // a card of at most so many points is kept
	hidden = 5 // points that an unknown card counts for

	unknown = "?" // a card that this bot has not seen
	none    = ""  // no card, which is null in JSON
)

// Place is where a card lies: a seat and one of its slots.
type Place [2]int

// Message is what the referee sends; each type of message fills in some of the fields.
type Message struct {
	Type string

	// Of `match`.
	Seat, Seats, Columns int
	Values               map[string]int

	// Of `request`.
	ID, Decision string
	Events       []Event
	Legal        []Offer
	Table        *Table
}

// Table is what everybody sees.
type Table struct {
	Pile    []string
	Layouts [][]string
}

// Event is something that happened at the table; each kind of event fills in some of the fields.
type Event struct {
	Event          string
	Seat, Of, Slot int
	NewSlot        *int `json:"new_slot"`
	Slots          []int
	Target         Place
	Targets        []Place
	Rows           json.RawMessage // a number in `round`, an array in `pairs_discarded`

	Card, Replaced, Given, Taken, Shield string
	Cards, Discarded, Layout             []string
	Verdict                              string
}

// Offer is a kind of action that is legal now, with a choice for each field of the action.
type Offer map[string]json.RawMessage

// Choice is the values that a field may have: one of these, `pick` of these, or any of these.
type Choice[T any] struct {
	OneOf []T `json:"one_of"`
	Pick  int
	Of    []T
	AnyOf []T `json:"any_of"`
}

// Action is one of the legal actions.
type Action map[string]any

// Match is what this bot knows of the match that it plays.
type Match struct {
	Message            // the message that began it
	layouts [][]string // by seat and slot: a card, unknown or none
	hand    string     // the card that was drawn
	pile    string     // the top card of the discard pile
}

func main() {
	log.SetFlags(0)
	var match Match
	for input := bufio.NewReader(os.Stdin); ; {
		line, err := input.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		var message Message
		decode(line, &message)
		switch message.Type {
		case "hello":
			say(map[string]any{"type": "ready", "name": "my-bot", "version": "1"})
		case "match":
			match = Match{Message: message}
		case "request":
			action := match.decide(message)
			say(map[string]any{"type": "answer", "id": message.ID, "action": action})
		}
	}
}

// decode reads JSON. Where a field has another type than here, it belongs to an event that this bot does not know.
func decode(text []byte, into any) {
	var otherType *json.UnmarshalTypeError
	if err := json.Unmarshal(text, into); err != nil && !errors.As(err, &otherType) {
		log.Fatalf("%v in %s", err, text)
	}
}

// say writes one line. Nothing is left in a buffer, for os.Stdout has none.
func say(message map[string]any) {
	line, err := json.Marshal(message)
	if err == nil {
		_, err = fmt.Printf("%s\n", line)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// decide reads what has happened, and gives an action that is offered.
func (m *Match) decide(request Message) Action {
	for _, event := range request.Events {
		m.read(event)
	}
	if request.Table != nil {
		for seat, layout := range request.Table.Layouts {
			m.look(seat, layout)
		}
		m.pile = last(request.Table.Pile, none)
	}
	if action := m.choose(request.Decision, request.Legal); action != nil {
		return action
	}
	return leastCommittal(request.Legal)
}

// ---- Decisions.

// choose is the best of the actions that are offered, as far as this bot sees, or nil where it does not care.
func (m *Match) choose(decision string, offers []Offer) Action {
	switch decision {
	case "turn": // the start of our turn
		return m.turn(offers)
	case "place": // where the drawn card goes
		return m.place(offers)
	case "flip": // which of our cards is turned face up
		for _, slot := range values[int](offers, "flip", "slot") {
			return Action{"kind": "flip", "slot": slot}
		}
	case "power": // what a card does. Change this to play better: there are many more powers than to peek
		for _, place := range values[Place](offers, "peek", "target") {
			if place[0] == m.Seat && m.card(place) == unknown {
				return Action{"kind": "peek", "target": place}
			}
		}
	case "slap": // who throws a card of the rank of the discard first is rid of it: here every microsecond counts
		for _, place := range values[Place](offers, "slap", "target") {
			card := m.card(place)
			isRight := isKnown(card) && isKnown(m.pile) && rank(card) == rank(m.pile)
			if place[0] == m.Seat && isRight && m.cost(card) > 0 {
				return Action{"kind": "slap", "target": place}
			}
		}
	case "give": // the card that another seat gets after we slapped one of its cards
		if slots := values[int](offers, "give", "slot"); len(slots) > 0 {
			return Action{"kind": "give", "slot": m.worst(slots)}
		}
	case "block": // whether our shield stops an attack
		if find(offers, "block") != nil {
			return Action{"kind": "block"}
		}
	case "pairs": // which rows to throw away in the two-deck game
		rows := []int{}
		for _, row := range values[int](offers, "discard_pairs", "rows") {
			if m.cost(m.own(2*row))+m.cost(m.own(2*row+1)) > 0 {
				rows = append(rows, row)
			}
		}
		if find(offers, "discard_pairs") != nil {
			return Action{"kind": "discard_pairs", "rows": rows}
		}
	case "stroke": // whether to take a row in par golf
		for _, row := range values[int](offers, "stroke", "row") {
			left, right := m.own(2*row), m.own(2*row+1)
			if isKnown(left) && isKnown(right) && m.cost(left)+m.cost(right) <= low {
				return Action{"kind": "stroke", "row": row}
			}
		}
	}
	return nil
}

// turn: change this to play better. How sure must you be before you end a round?
func (m *Match) turn(offers []Offer) Action {
	cost, allKnown := 0, true
	for _, card := range m.layouts[m.Seat] {
		cost += m.cost(card)
		allKnown = allKnown && card != unknown
	}
	for _, kind := range []string{"knock", "end"} {
		if cost <= low && allKnown && find(offers, kind) != nil {
			return Action{"kind": kind}
		}
	}
	stock, pile := false, false
	for _, source := range values[string](offers, "draw", "from") {
		stock = stock || source == "stock"
		pile = pile || source == "pile"
	}
	if pile && (!stock || isKnown(m.pile) && m.cost(m.pile) <= low) {
		return Action{"kind": "draw", "from": "pile"}
	} else if stock {
		return Action{"kind": "draw", "from": "stock"}
	}
	return nil
}

// place: change this to play better. In many games equal cards in a line count nothing.
func (m *Match) place(offers []Offer) Action {
	canDiscard := find(offers, "discard") != nil
	if slots := values[int](offers, "swap", "slot"); len(slots) > 0 {
		worst := m.worst(slots)
		helps := isKnown(m.hand) && m.cost(m.hand) <= low && m.cost(m.hand) < m.cost(m.own(worst))
		if helps || !canDiscard {
			return Action{"kind": "swap", "slot": worst}
		}
	}
	if canDiscard {
		return Action{"kind": "discard"}
	}
	return nil
}

// leastCommittal answers any request, of a decision that did not exist when this bot was written too.
func leastCommittal(offers []Offer) Action {
	offer := offers[0]
	for _, kind := range []string{"draw", "discard", "stop", "allow", "none", "pass"} {
		if found := find(offers, kind); found != nil {
			offer = found
		}
	}
	action := Action{}
	for field, choice := range offer {
		if field == "kind" {
			action[field] = choice
			continue
		}
		var values Choice[json.RawMessage]
		decode(choice, &values)
		switch {
		case values.OneOf != nil:
			action[field] = values.OneOf[0]
		case values.Of != nil:
			action[field] = values.Of[:values.Pick]
		default:
			action[field] = []int{}
		}
	}
	return action
}

// ---- What is offered.

// find is the offer of a kind of action, or nil.
func find(offers []Offer, kind string) Offer {
	for _, offer := range offers {
		var offered string
		if decode(offer["kind"], &offered); offered == kind {
			return offer
		}
	}
	return nil
}

// values are those that a field of an action may have; none where that kind of action is not offered.
func values[T any](offers []Offer, kind, field string) []T {
	var choice Choice[T]
	if offer := find(offers, kind); offer != nil {
		decode(offer[field], &choice)
	}
	return append(choice.OneOf, choice.AnyOf...)
}

// ---- What cards count for.

// cost is what a card counts for, as far as this bot knows. Change this to play better: which cards are left?
func (m *Match) cost(card string) int {
	if card == none {
		return 0
	} else if card == unknown {
		return hidden
	} else if points, ok := m.Values[card]; ok {
		return points
	}
	return m.Values[rank(card)]
}

// rank is all of a card but its last character, the suit. Jokers are X1, X2 and so on.
func rank(card string) string {
	if card[0] == 'X' {
		return "X"
	}
	return card[:len(card)-1]
}

// worst is the own slot that costs most, the lowest one among equals.
func (m *Match) worst(slots []int) int {
	worst := slots[0]
	for _, slot := range slots {
		cost, most := m.cost(m.own(slot)), m.cost(m.own(worst))
		if cost > most || cost == most && slot < worst {
			worst = slot
		}
	}
	return worst
}

// ---- What happened. Everything is told once, so it is kept here.

// read takes over what an event tells. An event that is not named here moves no card, or is a new one.
func (m *Match) read(e Event) {
	switch e.Event {
	case "round":
		var rows int
		decode(e.Rows, &rows)
		m.deal(rows * m.Columns)
	case "up_card":
		m.pile = e.Card
	case "turned_up", "looked":
		m.uncover(e.Seat, e.Slots, e.Cards)
	case "swapped_own":
		m.swap(Place{e.Seat, e.Slots[0]}, Place{e.Seat, e.Slots[1]})
		m.uncover(e.Seat, e.Slots, e.Cards)
	case "arranged":
		if e.Slots != nil {
			m.rearrange(e.Seat, e.Slots)
		}
	case "drew":
		m.hand = e.Card
	case "swapped":
		m.put(Place{e.Seat, e.Slot}, orUnknown(e.Card))
		m.pile, m.hand = e.Replaced, none
	case "discarded", "power":
		m.pile, m.hand = e.Card, none
	case "traded":
		m.put(e.Target, e.Given)
		m.hand = e.Taken
	case "peeked", "exposed":
		if e.Card != none {
			m.put(e.Target, e.Card)
		}
	case "switched":
		m.swap(e.Targets[0], e.Targets[1])
	case "rearranged":
		if e.Slots == nil {
			m.forget(e.Of)
		} else {
			m.rearrange(e.Of, e.Slots)
		}
	case "lines_swapped":
		m.forget(e.Of)
		m.look(e.Of, e.Layout)
	case "shuffled":
		m.forget(e.Of)
	case "added":
		m.put(e.Target, unknown)
	case "removed":
		m.put(e.Target, none)
		m.pile = e.Card
	case "planted":
		m.put(e.Target, e.Card)
		m.pile, m.hand = e.Replaced, none
	case "kept":
		m.put(Place{e.Seat, e.Slot}, orUnknown(e.Card))
		m.pile, m.hand = last(e.Discarded, m.pile), none
	case "blocked":
		if e.Shield != none {
			m.pile = e.Shield
		}
	case "pairs_discarded":
		var rows []int
		decode(e.Rows, &rows)
		for _, row := range rows {
			m.put(Place{e.Seat, 2 * row}, none)
			m.put(Place{e.Seat, 2*row + 1}, none)
		}
		m.pile = last(e.Cards, m.pile)
	case "slapped":
		m.slapped(e)
	case "gave":
		m.put(e.Target, m.card(Place{e.Seat, e.Slot}))
		m.put(Place{e.Seat, e.Slot}, none)
	}
}

// deal begins a round.
func (m *Match) deal(slots int) {
	m.layouts = make([][]string, m.Seats)
	for seat := range m.layouts {
		for slot := 0; slot < slots; slot++ {
			m.put(Place{seat, slot}, unknown)
		}
	}
	m.hand, m.pile = none, none
}

// slapped: a right card lies on the pile now. Any other is back, or the slapper's, who has got a card in a new slot.
func (m *Match) slapped(e Event) {
	if e.Verdict == "right" {
		m.put(e.Target, none)
		m.pile = e.Card
		return
	}
	m.put(e.Target, e.Card)
	if e.NewSlot == nil {
		return
	}
	if newPlace := (Place{e.Seat, *e.NewSlot}); e.Target[0] == e.Seat {
		m.put(newPlace, unknown)
	} else {
		m.put(newPlace, e.Card)
		m.put(e.Target, none)
	}
}

// card is what lies in a place.
func (m *Match) card(place Place) string {
	seat, slot := place[0], place[1]
	if seat >= len(m.layouts) || slot >= len(m.layouts[seat]) {
		return none
	}
	return m.layouts[seat][slot]
}

func (m *Match) own(slot int) string {
	return m.card(Place{m.Seat, slot})
}

// put lays a card, unknown or none into a place. A layout grows where the place is new.
func (m *Match) put(place Place, card string) {
	seat, slot := place[0], place[1]
	for len(m.layouts) <= seat {
		m.layouts = append(m.layouts, nil)
	}
	for len(m.layouts[seat]) <= slot {
		m.layouts[seat] = append(m.layouts[seat], none)
	}
	m.layouts[seat][slot] = card
}

func (m *Match) swap(one, other Place) {
	first, second := m.card(one), m.card(other)
	m.put(one, second)
	m.put(other, first)
}

// uncover notes the cards that were shown.
func (m *Match) uncover(seat int, slots []int, cards []string) {
	for i, slot := range slots {
		if cards[i] != none {
			m.put(Place{seat, slot}, cards[i])
		}
	}
}

// rearrange gives the first slot that has a card the card of slots[0], the second one that of slots[1], and so on.
func (m *Match) rearrange(seat int, slots []int) {
	before := append([]string(nil), m.layouts[seat]...)
	moved := 0
	for slot, card := range before {
		if card != none && moved < len(slots) {
			m.put(Place{seat, slot}, before[slots[moved]])
			moved++
		}
	}
}

// forget makes all cards of a seat unknown.
func (m *Match) forget(seat int) {
	for slot, card := range m.layouts[seat] {
		if card != none {
			m.layouts[seat][slot] = unknown
		}
	}
}

// look compares what this bot knows with what lies open. A card that lies face down stays known.
func (m *Match) look(seat int, layout []string) {
	for slot, card := range layout {
		place := Place{seat, slot}
		if card != unknown || m.card(place) == none {
			m.put(place, card)
		}
	}
	m.layouts[seat] = m.layouts[seat][:len(layout)]
}

func orUnknown(card string) string {
	if card == none {
		return unknown
	}
	return card
}

func isKnown(card string) bool {
	return card != unknown && card != none
}

func last(cards []string, otherwise string) string {
	if len(cards) == 0 {
		return otherwise
	}
	return cards[len(cards)-1]
}
