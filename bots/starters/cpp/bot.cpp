// A bot that plays every game of golfref legally. It keeps low cards and throws high ones away, judging by the cards
// that lie open. Four comments that begin with "Next:" say what to add.
//
// It reads JSON messages from standard input, a line each, and writes its answers to standard output. Print nothing
// else there: use std::cerr for what helps you to find mistakes.

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using Json = nlohmann::json;

constexpr int LOW = 4;       // a card of at most so many points is taken from the pile
constexpr int HIDDEN = 5;    // the points of a card that lies face down
constexpr int PATIENCE = 4;  // the first own turn of a round in which the bot may end it

// What this bot knows of the match that it plays.
class Bot {
public:
    Bot() = default;
    explicit Bot(const Json &message) : match(message) {}

    // One of the legal actions.
    Json decide(const Json &request) {
        for (const Json &event : request["events"]) {
            if (event["event"] == "round") turns = 0;
            if (event["event"] == "drew" && event["seat"] == match["seat"]) drawn = event["card"];
            // Next: remember your cards in `looked`, `peeked`, `swapped`: write them over each `?` of your layout.
        }
        if (request.contains("table")) table = request["table"];
        legal = request["legal"];
        const Json &decision = request["decision"];
        Json action;
        if (decision == "turn") action = turn();
        if (decision == "place") action = place();
        if (decision == "flip") action = flip();
        return action.is_null() ? decline() : action;
    }

private:
    Json match;                                    // the message that began it
    Json table = {{"layouts", {}}, {"pile", {}}};  // the table as everybody sees it
    Json drawn;                                    // the card that we drew last
    int turns = 0;                                 // our turns in this round
    Json legal;                                    // what the request offers

    // The start of our turn: end the round or draw a card.
    Json turn() {
        turns++;
        const Json &layouts = table["layouts"];
        const int mine = total(own());
        bool leads = std::all_of(layouts.begin(), layouts.end(), [&](auto &layout) { return total(layout) >= mine; });
        // Next: end a round only with a good lead. `knock_penalty` in the options is the price of a wrong end.
        for (const char *ending : {"knock", "end"}) {
            if (leads && turns >= PATIENCE && is_offered(ending)) return {{"kind", ending}};
        }
        if (!is_offered("draw")) return nullptr;
        const Json sources = offer("draw")["from"]["one_of"], cards = own();
        const int top = table["pile"].empty() ? LOW + 1 : cost(table["pile"][0]);
        bool helps = top <= LOW && std::any_of(cards.begin(), cards.end(), [&](auto &one) { return cost(one) > top; });
        bool has_pile = std::find(sources.begin(), sources.end(), "pile") != sources.end();
        return {{"kind", "draw"}, {"from", helps && has_pile ? "pile" : sources[0]}};
    }

    // Where the drawn card goes: to the slot of our worst card, or to the pile.
    Json place() const {
        if (!is_offered("swap")) return nullptr;
        // Next: look for pairs. In many games equal cards in a line count nothing: see `cancel` in the options.
        const int slot = worst(offer("swap")["slot"]["one_of"]);
        if (is_offered("discard") && cost(drawn) >= cost(own()[slot])) return {{"kind", "discard"}};
        return {{"kind", "swap"}, {"slot", slot}};
    }

    // Which of our cards is turned face up: any, but not the last one, which would end the round.
    Json flip() const {
        const Json slots = offer("flip")["slot"]["one_of"];
        if (slots.size() == 1 && is_offered("none")) return {{"kind", "none"}};
        return {{"kind", "flip"}, {"slot", slots[0]}};
    }

    // Next: powers, pairs, strokes and slaps. Each wants a line in `decide`, and slaps want `"slaps": true` in `main`.
    Json decline() const {
        Json action = legal[0];
        for (const char *kind : {"draw", "discard", "stop", "allow", "none", "pass"}) {
            if (is_offered(kind)) action = offer(kind);
        }
        for (auto &[field, choice] : action.items()) {
            if (field != "kind") choice = first_of(choice);
        }
        return action;
    }

    // The first value that a choice allows: one of some, exactly so many of some, or as many of some as we like.
    static Json first_of(const Json &choice) {
        if (choice.contains("one_of")) return choice["one_of"][0];
        Json some = Json::array();
        for (int i = 0; i < choice.value("pick", 0); i++) some.push_back(choice["of"][i]);
        return some;
    }

    // The offer of this kind, null where there is none.
    Json offer(const std::string &kind) const {
        auto found = std::find_if(legal.begin(), legal.end(), [&](auto &one) { return one["kind"] == kind; });
        return found == legal.end() ? Json() : *found;
    }

    bool is_offered(const std::string &kind) const { return !offer(kind).is_null(); }

    // Our cards by slot: a card such as "10H", "?" for one that lies face down, null for an empty slot.
    Json own() const { return table["layouts"].empty() ? Json::array() : table["layouts"][match["seat"].get<int>()]; }

    // Of these slots of ours the one whose card counts most; of equal ones another each turn.
    int worst(const std::vector<int> &slots) const {
        std::vector<int> equal;
        for (int slot : slots) {
            const int most = equal.empty() ? 0 : cost(own()[equal[0]]);
            if (!equal.empty() && cost(own()[slot]) > most) equal = {slot};
            else if (equal.empty() || cost(own()[slot]) == most) equal.push_back(slot);
        }
        return equal[turns % equal.size()];
    }

    int total(const Json &layout) const {
        int sum = 0;
        for (const Json &card : layout) sum += cost(card);
        return sum;
    }

    // The points of a card. `values` holds them by rank, or by card where one differs from its rank.
    int cost(const Json &card) const {
        if (card.is_null()) return 0;
        if (card == "?") return HIDDEN;
        const std::string code = card;
        const std::string rank = code[0] == 'X' ? "X" : code.substr(0, code.size() - 1);  // the suit comes last
        return match["values"].value(code, match["values"].value(rank, 0));
    }
};

int main() {
    std::ios::sync_with_stdio(false);
    Bot bot;
    for (std::string line; std::getline(std::cin, line);) {
        const Json message = Json::parse(line);
        if (message["type"] == "hello") {
            std::cout << Json({{"type", "ready"}, {"name", "my-bot"}, {"slaps", false}}) << std::endl;
        } else if (message["type"] == "match") {
            bot = Bot(message);
        } else if (message["type"] == "request") {
            const Json action = bot.decide(message);
            std::cout << Json({{"type", "answer"}, {"id", message["id"]}, {"action", action}}) << std::endl;
        }  // `end` needs no answer. Another match may follow.
    }
}
