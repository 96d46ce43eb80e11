// A bot that plays every game of golfref. It remembers the cards that it has seen, keeps low ones and throws high ones
// away.
//
// It reads JSON messages from standard input, a line each, and answers `hello` and every `request` with a line on
// standard output. Print nothing else there: what you want to see of a match goes to std::cerr. Read class Match first,
// and change what is marked "Change this to play better".

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

using json = nlohmann::json;

constexpr int LOW = 4;     // a card of at most so many points is kept
constexpr int HIDDEN = 5;  // points that an unknown card counts for

using Card = std::string;
const Card UNKNOWN = "?";  // a card that this bot has not seen
const Card NONE = "";      // no card, which is null in JSON

// A seat and one of its slots.
using Place = std::pair<size_t, size_t>;

Card card_of(const json& value) { return value.is_null() ? NONE : value.get<Card>(); }

std::vector<Card> cards_of(const json& values) {
    std::vector<Card> cards;
    for (const json& value : values) cards.push_back(card_of(value));
    return cards;
}

bool is_known(const Card& card) { return card != NONE && card != UNKNOWN; }

// All of a card but its last character, the suit. Jokers are X1, X2 and so on.
std::string rank(const Card& card) { return card[0] == 'X' ? "X" : card.substr(0, card.size() - 1); }

// The actions that are legal now: kinds of actions, with a choice for each of their fields.
class Offers {
public:
    explicit Offers(const json& legal) : legal_(legal) {}

    // The offer of a kind of action, or nullptr.
    const json* find(const std::string& kind) const {
        for (const json& offer : legal_)
            if (offer.at("kind") == kind) return &offer;
        return nullptr;
    }

    // What a field of an action may be: one of these, or any of these. Nothing where the kind is not offered.
    json choices(const std::string& kind, const std::string& field) const {
        const json* offer = find(kind);
        if (!offer) return json::array();
        const json& choice = offer->at(field);
        return choice.contains("one_of") ? choice["one_of"] : choice.value("any_of", json::array());
    }

    // A legal action for any request, also for decisions that did not exist when this bot was written.
    json least_committal() const {
        const json* offer = &legal_.at(0);
        for (const char* kind : {"draw", "discard", "stop", "allow", "none", "pass"})
            if (const json* found = find(kind)) offer = found;
        json action = *offer;
        for (auto& [field, choice] : action.items()) {
            if (field == "kind") continue;
            if (choice.contains("one_of")) {
                choice = json(choice["one_of"][0]);
            } else if (choice.contains("pick")) {
                const json& of = choice["of"];
                choice = json(of.begin(), of.begin() + choice["pick"].get<int>());
            } else {
                choice = json::array();
            }
        }
        return action;
    }

private:
    const json& legal_;
};

// What this bot knows of the match that it plays.
class Match {
public:
    explicit Match(const json& message)
        : seat_(message.at("seat")), seats_(message.at("seats")), columns_(message.at("columns")),
          values_(message.at("values")) {}

    // Reads what has happened, and gives an action that is offered.
    json decide(const json& request) {
        for (const json& event : request.at("events")) read(event);
        if (request.contains("table")) {
            const json& table = request["table"];
            size_t seat = 0;
            for (const json& layout : table.at("layouts")) look(seat++, cards_of(layout));
            pile_ = table.at("pile").empty() ? NONE : card_of(table["pile"][0]);
        }
        const Offers offers(request.at("legal"));
        return choose(request.at("decision"), offers).value_or(offers.least_committal());
    }

private:
    // ---- Decisions.

    // The best of the actions that are offered, as far as this bot sees, or nothing where it does not care.
    std::optional<json> choose(const std::string& decision, const Offers& offers) const {
        if (decision == "turn") return turn(offers);
        if (decision == "place") return place(offers);
        if (decision == "flip") return flip(offers);
        if (decision == "power") return power(offers);
        if (decision == "slap") return slap(offers);
        if (decision == "give") return give(offers);
        if (decision == "block") return block(offers);
        if (decision == "pairs") return pairs(offers);
        if (decision == "stroke") return stroke(offers);
        return std::nullopt;
    }

    // The start of our turn. Change this to play better: how sure must you be before you end a round?
    std::optional<json> turn(const Offers& offers) const {
        int total = 0;
        bool all_known = true;
        for (const Card& card : layouts_.at(seat_)) {
            total += cost(card);
            all_known = all_known && card != UNKNOWN;
        }
        for (const char* kind : {"knock", "end"})
            if (total <= LOW && all_known && offers.find(kind)) return json{{"kind", kind}};
        const json sources = offers.choices("draw", "from");
        const bool stock = contains(sources, "stock"), pile = contains(sources, "pile");
        const bool pile_is_low = is_known(pile_) && cost(pile_) <= LOW;
        if (pile && (pile_is_low || !stock)) return json{{"kind", "draw"}, {"from", "pile"}};
        if (stock) return json{{"kind", "draw"}, {"from", "stock"}};
        return std::nullopt;
    }

    // Where the drawn card goes. Change this to play better: in many games equal cards in a line count nothing.
    std::optional<json> place(const Offers& offers) const {
        const bool can_discard = offers.find("discard");
        if (const json slots = offers.choices("swap", "slot"); !slots.empty()) {
            const size_t slot = worst(slots);
            const bool helps = is_known(hand_) && cost(hand_) <= LOW && cost(hand_) < cost(own(slot));
            if (helps || !can_discard) return json{{"kind", "swap"}, {"slot", slot}};
        }
        if (can_discard) return json{{"kind", "discard"}};
        return std::nullopt;
    }

    // Which of our cards is turned face up.
    std::optional<json> flip(const Offers& offers) const {
        const json slots = offers.choices("flip", "slot");
        if (slots.empty()) return std::nullopt;
        return json{{"kind", "flip"}, {"slot", slots[0]}};
    }

    // What a card does. Change this to play better: there are many more powers than to peek.
    std::optional<json> power(const Offers& offers) const {
        for (const Place target : offers.choices("peek", "target"))
            if (target.first == seat_ && at(target) == UNKNOWN) return json{{"kind", "peek"}, {"target", target}};
        return std::nullopt;
    }

    // Who throws a card of the rank of the discard first is rid of it: here every microsecond counts.
    std::optional<json> slap(const Offers& offers) const {
        for (const Place target : offers.choices("slap", "target")) {
            const Card card = at(target);
            const bool is_right = is_known(card) && is_known(pile_) && rank(card) == rank(pile_);
            if (target.first == seat_ && is_right && cost(card) > 0) return json{{"kind", "slap"}, {"target", target}};
        }
        return std::nullopt;
    }

    // The card that another seat gets after we slapped one of its cards.
    std::optional<json> give(const Offers& offers) const {
        const json slots = offers.choices("give", "slot");
        if (slots.empty()) return std::nullopt;
        return json{{"kind", "give"}, {"slot", worst(slots)}};
    }

    // Whether our shield stops an attack.
    std::optional<json> block(const Offers& offers) const {
        if (!offers.find("block")) return std::nullopt;
        return json{{"kind", "block"}};
    }

    // Which rows to throw away in the two-deck game.
    std::optional<json> pairs(const Offers& offers) const {
        if (!offers.find("discard_pairs")) return std::nullopt;
        json rows = json::array();
        for (const size_t row : offers.choices("discard_pairs", "rows"))
            if (row_cost(row) > 0) rows.push_back(row);
        return json{{"kind", "discard_pairs"}, {"rows", rows}};
    }

    // Whether to take a row in par golf.
    std::optional<json> stroke(const Offers& offers) const {
        for (const size_t row : offers.choices("stroke", "row"))
            if (is_known(own(2 * row)) && is_known(own(2 * row + 1)) && row_cost(row) <= LOW)
                return json{{"kind", "stroke"}, {"row", row}};
        return std::nullopt;
    }

    // ---- What cards count for.

    // What a card counts for, as far as this bot knows. Change this to play better: which cards are left?
    int cost(const Card& card) const {
        if (card == NONE) return 0;
        if (card == UNKNOWN) return HIDDEN;
        return values_.contains(card) ? values_.at(card).get<int>() : values_.at(rank(card)).get<int>();
    }

    int row_cost(size_t row) const { return cost(own(2 * row)) + cost(own(2 * row + 1)); }

    // The slot of ours whose card costs most, the lowest one among equals.
    size_t worst(const std::vector<size_t>& slots) const {
        return *std::min_element(slots.begin(), slots.end(), [this](size_t one, size_t other) {
            return std::pair(-cost(own(one)), one) < std::pair(-cost(own(other)), other);
        });
    }

    static bool contains(const json& values, const std::string& value) {
        return std::find(values.begin(), values.end(), value) != values.end();
    }

    // ---- What happened. Everything is told once, so it is kept here.

    // Takes over what an event tells. Events that are not named here move no card, or are new.
    void read(const json& event) {
        const std::string name = event.at("event");
        const auto card = [&](const char* field) { return card_of(event.at(field)); };
        const auto number = [&](const char* field) { return event.at(field).get<size_t>(); };
        const auto slot = [&] { return Place(number("seat"), number("slot")); };
        const auto target = [&]() -> Place { return event.at("target"); };

        if (name == "round") {
            layouts_.assign(seats_, std::vector<Card>(number("rows") * columns_, UNKNOWN));
            discard(NONE);
        } else if (name == "up_card") {
            pile_ = card("card");
        } else if (name == "turned_up" || name == "looked") {
            uncover(event);
        } else if (name == "swapped_own") {
            exchange({number("seat"), event.at("slots").at(0)}, {number("seat"), event.at("slots").at(1)});
            uncover(event);
        } else if (name == "arranged") {
            if (!event.at("slots").is_null()) rearrange(number("seat"), event["slots"]);
        } else if (name == "drew") {
            hand_ = card("card");
        } else if (name == "swapped") {
            put(slot(), or_unknown(card("card")));
            discard(card("replaced"));
        } else if (name == "discarded" || name == "power") {
            discard(card("card"));
        } else if (name == "traded") {
            put(target(), card("given"));
            hand_ = card("taken");
        } else if (name == "peeked" || name == "exposed") {
            if (card("card") != NONE) put(target(), card("card"));
        } else if (name == "switched") {
            exchange(event.at("targets").at(0), event.at("targets").at(1));
        } else if (name == "rearranged") {
            if (event.at("slots").is_null())
                forget(number("of"));
            else
                rearrange(number("of"), event["slots"]);
        } else if (name == "shuffled") {
            forget(number("of"));
        } else if (name == "lines_swapped") {
            forget(number("of"));
            look(number("of"), cards_of(event.at("layout")));
        } else if (name == "added") {
            put(target(), UNKNOWN);
        } else if (name == "removed") {
            put(target(), NONE);
            pile_ = card("card");
        } else if (name == "planted") {
            put(target(), card("card"));
            discard(card("replaced"));
        } else if (name == "kept") {
            put(slot(), or_unknown(card("card")));
            const auto discarded = cards_of(event.at("discarded"));
            discard(discarded.empty() ? pile_ : discarded.back());
        } else if (name == "blocked") {
            if (card("shield") != NONE) pile_ = card("shield");
        } else if (name == "pairs_discarded") {
            for (const size_t row : event.at("rows"))
                for (const size_t half : {2 * row, 2 * row + 1}) put({number("seat"), half}, NONE);
            const auto cards = cards_of(event.at("cards"));
            if (!cards.empty()) pile_ = cards.back();
        } else if (name == "slapped") {
            slapped(event);
        } else if (name == "gave") {
            put(target(), at(slot()));
            put(slot(), NONE);
        }
    }

    // A right card lies on the pile now. Any other is back, or the slapper's, who has got a card in a new slot.
    void slapped(const json& event) {
        const size_t slapper = event.at("seat");
        const Place target = event.at("target");
        const Card card = card_of(event.at("card"));
        if (event.at("verdict") == "right") {
            put(target, NONE);
            pile_ = card;
            return;
        }
        put(target, card);
        if (event.at("new_slot").is_null()) return;
        const Place new_place(slapper, event["new_slot"]);
        if (target.first == slapper) {
            put(new_place, UNKNOWN);
        } else {
            put(new_place, card);
            put(target, NONE);
        }
    }

    Card own(size_t slot) const { return at({seat_, slot}); }

    Card at(Place place) const {
        const auto [seat, slot] = place;
        return seat < layouts_.size() && slot < layouts_[seat].size() ? layouts_[seat][slot] : NONE;
    }

    // Puts a card into a slot. Slots beyond the end of a layout are new ones.
    void put(Place place, const Card& card) {
        const auto [seat, slot] = place;
        if (layouts_.size() <= seat) layouts_.resize(seat + 1);
        if (layouts_[seat].size() <= slot) layouts_[seat].resize(slot + 1, NONE);
        layouts_[seat][slot] = card;
    }

    void discard(const Card& card) {
        pile_ = card;
        hand_ = NONE;
    }

    void exchange(Place one, Place other) {
        const Card first = at(one), second = at(other);
        put(one, second);
        put(other, first);
    }

    // Notes the cards that were shown.
    void uncover(const json& event) {
        const auto cards = cards_of(event.at("cards"));
        for (size_t i = 0; i < cards.size(); i++)
            if (cards[i] != NONE) put({event.at("seat"), event.at("slots").at(i)}, cards[i]);
    }

    // The first occupied slot gets the card of the first of `slots`, and so on.
    void rearrange(size_t seat, const std::vector<size_t>& slots) {
        const std::vector<Card> before = layouts_.at(seat);
        auto from = slots.begin();
        for (Card& card : layouts_[seat])
            if (card != NONE && from != slots.end()) card = before.at(*from++);
    }

    void forget(size_t seat) {
        for (Card& card : layouts_.at(seat))
            if (card != NONE) card = UNKNOWN;
    }

    // Takes over what lies open. What lies face down stays as this bot remembers it.
    void look(size_t seat, const std::vector<Card>& layout) {
        for (size_t slot = 0; slot < layout.size(); slot++)
            if (layout[slot] != UNKNOWN || at({seat, slot}) == NONE) put({seat, slot}, layout[slot]);
        layouts_.at(seat).resize(layout.size());
    }

    static Card or_unknown(const Card& card) { return card == NONE ? UNKNOWN : card; }

    size_t seat_, seats_, columns_;
    json values_;                             // points by rank, or by card where one differs from its rank
    std::vector<std::vector<Card>> layouts_;  // by seat and slot
    Card hand_, pile_;                        // the card that was drawn; the top card of the discard pile
};

// Writes a line at once.
void say(const json& message) { std::cout << message.dump() + "\n" << std::flush; }

int main() {
    std::optional<Match> match;
    for (std::string line; std::getline(std::cin, line);) {
        const json message = json::parse(line);
        const std::string type = message.at("type");
        if (type == "hello")
            say({{"type", "ready"}, {"name", "my-bot"}, {"version", "1"}});
        else if (type == "match")
            match.emplace(message);
        else if (type == "request")
            say({{"type", "answer"}, {"id", message.at("id")}, {"action", match.value().decide(message)}});
        // `end` needs no answer. Another match may follow.
    }
}
