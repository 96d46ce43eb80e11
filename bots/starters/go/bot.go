// A bot that plays every game of golfref legally. It keeps low cards and throws high ones away, judging by the cards
// that lie open. Four comments that begin with "Next:" say what to add.
//
// It reads JSON messages from standard input, a line each, and writes its answers to standard output. Print nothing
// else there: use log.Print, which writes to standard error, for what helps you to find mistakes.
package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"strings"
)

const (
	low      = 4 // a card of at most so many points is taken from the pile
	hidden   = 5 // the points of a card that lies face down
	patience = 4 // the first own turn of a round in which the bot may end it
)

// Message is what the referee sends; each type of message fills in some of the fields.
type Message struct {
	Type string

	// Of `match`.
	Seat   int
	Values map[string]int // points by rank, or by card where one differs from its rank

	// Of `request`.
	ID, Decision string
	Events       []struct {
		Event, Card string
		Seat        int
	}
	Legal []Action
	Table *Table
}

// Table is what everybody sees. A card is a code such as "10H", "?" where it lies face down, "" in an empty slot.
type Table struct {
	Pile    []string // the top card
	Layouts [][]string
}

// Action is the kind of an action and a value for each of its fields. An offer has a choice in place of each value.
type Action map[string]any

// Bot is what this bot knows of the match that it plays.
type Bot struct {
	match  Message // began the match
	table  Table
	drawn  string            // the card that we drew last
	turns  int               // our turns in this round
	offers map[string]Action // what the request offers, by kind
}

func main() {
	log.SetFlags(0)
	var bot Bot
	input, output := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout) // a message a line; output has no buffer
	for {
		var message Message
		var otherType *json.UnmarshalTypeError // in an event of a later version, perhaps
		if err := input.Decode(&message); errors.Is(err, io.EOF) {
			return
		} else if err != nil && !errors.As(err, &otherType) {
			log.Fatal(err)
		}
		switch message.Type {
		case "hello":
			output.Encode(map[string]any{"type": "ready", "name": "my-bot", "slaps": false})
		case "match":
			bot = Bot{match: message}
		case "request":
			output.Encode(map[string]any{"type": "answer", "id": message.ID, "action": bot.decide(message)})
		} // `end` needs no answer. Another match may follow.
	}
}

// decide returns one of the legal actions.
func (b *Bot) decide(request Message) Action {
	for _, event := range request.Events {
		if event.Event == "round" {
			b.turns = 0
		} else if event.Event == "drew" && event.Seat == b.match.Seat {
			b.drawn = event.Card
		} // Next: remember your cards in `looked`, `peeked`, `swapped`: write them over each `?` of your layout.
	}
	if request.Table != nil {
		b.table = *request.Table
	}
	b.offers = map[string]Action{}
	for _, offer := range request.Legal {
		b.offers[offer["kind"].(string)] = offer
	}
	switch {
	case request.Decision == "turn" && b.offers["draw"] != nil:
		return b.turn()
	case request.Decision == "place" && b.offers["swap"] != nil:
		return b.place()
	case request.Decision == "flip" && b.offers["flip"] != nil:
		return b.flip()
	}
	return b.decline(request.Legal[0])
}

// turn starts our turn: it ends the round or draws a card.
func (b *Bot) turn() Action {
	b.turns++
	leads := true
	for _, layout := range b.table.Layouts {
		leads = leads && b.total(layout) >= b.total(b.own())
	}
	// Next: end a round only with a good lead. Read `options` of `match`: `knock_penalty` is the price of a wrong end.
	for _, kind := range []string{"knock", "end"} {
		if b.offers[kind] != nil && leads && b.turns >= patience {
			return Action{"kind": kind}
		}
	}
	from := oneOf(b.offers["draw"]["from"])[0]
	for _, source := range oneOf(b.offers["draw"]["from"]) {
		if source == "pile" && b.helps(b.table.Pile) {
			from = source
		}
	}
	return Action{"kind": "draw", "from": from}
}

// helps reports whether the top card of the pile is low, and lower than one of ours.
func (b *Bot) helps(pile []string) bool {
	for _, card := range b.own() {
		if len(pile) > 0 && b.cost(pile[0]) <= low && b.cost(pile[0]) < b.cost(card) {
			return true
		}
	}
	return false
}

// place puts the drawn card into the slot of our worst card, or onto the pile.
func (b *Bot) place() Action {
	// Next: look for pairs. In many games equal cards in a line count nothing: see `cancel` in the options.
	slot := b.worst(oneOf(b.offers["swap"]["slot"]))
	if b.offers["discard"] != nil && b.cost(b.drawn) >= b.cost(b.own()[slot]) {
		return Action{"kind": "discard"}
	}
	return Action{"kind": "swap", "slot": slot}
}

// flip turns any of our cards face up, but not the last one, which would end the round.
func (b *Bot) flip() Action {
	slots := oneOf(b.offers["flip"]["slot"])
	if len(slots) == 1 && b.offers["none"] != nil {
		return Action{"kind": "none"}
	}
	return Action{"kind": "flip", "slot": slots[0]}
}

// decline answers all other decisions. Next: powers, pairs, strokes and slaps. Each wants a case in decide; slaps also
// want `"slaps": true` in main.
func (b *Bot) decline(offer Action) Action {
	for _, kind := range []string{"draw", "discard", "stop", "allow", "none", "pass"} {
		if b.offers[kind] != nil {
			offer = b.offers[kind]
		}
	}
	for field, choice := range offer {
		if field != "kind" {
			offer[field] = firstOf(choice.(map[string]any))
		}
	}
	return offer
}

// firstOf returns the first value that a choice allows: one of some, exactly so many of some, or as many as we like.
func firstOf(choice map[string]any) any {
	if choice["one_of"] != nil {
		return oneOf(choice)[0]
	} else if pick, ok := choice["pick"].(float64); ok {
		return choice["of"].([]any)[:int(pick)]
	}
	return []any{}
}

// oneOf lists the values of which a choice takes one. Numbers are of the type float64.
func oneOf(choice any) []any { return choice.(map[string]any)["one_of"].([]any) }

// own returns our cards by slot.
func (b *Bot) own() []string { return b.table.Layouts[b.match.Seat] }

// worst returns of these slots of ours the one whose card counts most; of equal ones another each turn.
func (b *Bot) worst(slots []any) int {
	var equal []int
	for _, value := range slots {
		slot := int(value.(float64))
		cost := b.cost(b.own()[slot])
		if len(equal) > 0 && cost > b.cost(b.own()[equal[0]]) {
			equal = nil
		}
		if len(equal) == 0 || cost == b.cost(b.own()[equal[0]]) {
			equal = append(equal, slot)
		}
	}
	return equal[b.turns%len(equal)]
}

func (b *Bot) total(layout []string) (sum int) {
	for _, card := range layout {
		sum += b.cost(card)
	}
	return sum
}

// cost returns the points of a card.
func (b *Bot) cost(card string) int {
	if card == "" {
		return 0
	} else if card == "?" {
		return hidden
	} else if points, ok := b.match.Values[card]; ok {
		return points
	} else if strings.HasPrefix(card, "X") { // a joker
		return b.match.Values["X"]
	}
	return b.match.Values[card[:len(card)-1]] // the suit comes last
}
