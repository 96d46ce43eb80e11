import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * A bot that plays every game of golfref. It remembers the cards that it has seen, keeps low ones and throws high ones
 * away.
 *
 * <p>It reads JSON messages from standard input, a line each, and answers {@code hello} and every {@code request} with
 * a line on standard output. Print nothing else there: what you want to see of a match goes to System.err. Read it from
 * the top, and change what is marked "Change this to play better".
 */
public final class Bot {
    /** A card of at most so many points is kept. */
    private static final int LOW = 4;
    /** Points that an unknown card counts for. */
    private static final int HIDDEN = 5;

    /** A card that this bot has not seen. */
    private static final String UNKNOWN = "?";
    /** No card, which is null in JSON. */
    private static final String NONE = "";

    /** A seat and one of its slots. */
    private record Place(int seat, int slot) {}

    /** The message that began the match. */
    private final JsonObject match;
    private final int seat;
    /** By seat and slot: a card, UNKNOWN or NONE. */
    private final List<List<String>> layouts = new ArrayList<>();
    /** The card that was drawn. */
    private String hand = NONE;
    /** The top card of the discard pile. */
    private String pile = NONE;

    private Bot(JsonObject match) {
        this.match = match;
        seat = match.get("seat").getAsInt();
    }

    public static void main(String[] arguments) throws IOException {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Bot bot = null;
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            JsonObject message = JsonParser.parseString(line).getAsJsonObject();
            switch (message.get("type").getAsString()) {
                case "hello" -> {
                    JsonObject ready = messageOf("ready");
                    ready.addProperty("name", "my-bot");
                    ready.addProperty("version", "1");
                    say(ready);
                }
                case "match" -> bot = new Bot(message);
                case "request" -> {
                    JsonObject answer = messageOf("answer");
                    answer.add("id", message.get("id"));
                    answer.add("action", bot.decide(message));
                    say(answer);
                }
                default -> { } // `end` needs no answer. Another match may follow.
            }
        }
    }

    private static JsonObject messageOf(String type) {
        JsonObject message = new JsonObject();
        message.addProperty("type", type);
        return message;
    }

    /** Writes a line at once. */
    private static void say(JsonObject message) {
        System.out.print(message + "\n");
        System.out.flush();
    }

    /** Reads what has happened, and gives an action that is offered. */
    private JsonObject decide(JsonObject request) {
        request.getAsJsonArray("events").forEach(event -> read(event.getAsJsonObject()));
        if (request.get("table") instanceof JsonObject table) {
            JsonArray seen = table.getAsJsonArray("layouts");
            for (int i = 0; i < seen.size(); i++) {
                look(i, seen.get(i).getAsJsonArray());
            }
            pile = last(table.getAsJsonArray("pile"), NONE);
        }
        var offers = new Offers(request.getAsJsonArray("legal"));
        JsonObject action = switch (request.get("decision").getAsString()) {
            case "turn" -> turn(offers);
            case "place" -> place(offers);
            case "flip" -> flip(offers);
            case "power" -> power(offers);
            case "slap" -> slap(offers);
            case "give" -> give(offers);
            case "block" -> block(offers);
            case "pairs" -> pairs(offers);
            case "stroke" -> stroke(offers);
            default -> null;
        };
        return action != null ? action : offers.leastCommittal();
    }

    // ---- Decisions. Each method returns an action that is offered, or null for the least committal one.

    /** The start of our turn. Change this to play better: how sure must you be before you end a round? */
    private JsonObject turn(Offers offers) {
        List<String> own = layouts.get(seat);
        if (!own.contains(UNKNOWN) && own.stream().mapToInt(this::cost).sum() <= LOW) {
            for (String kind : List.of("knock", "end")) {
                if (offers.has(kind)) {
                    return action(kind);
                }
            }
        }
        List<String> sources = new ArrayList<>();
        offers.choices("draw", "from").forEach(source -> sources.add(source.getAsString()));
        boolean pileIsLow = isKnown(pile) && cost(pile) <= LOW;
        if (sources.contains("pile") && (pileIsLow || !sources.contains("stock"))) {
            return action("draw", "from", new JsonPrimitive("pile"));
        }
        return sources.contains("stock") ? action("draw", "from", new JsonPrimitive("stock")) : null;
    }

    /** Where the drawn card goes. Change this to play better: in many games equal cards in a line count nothing. */
    private JsonObject place(Offers offers) {
        JsonElement slot = worst(offers.choices("swap", "slot"));
        if (slot != null) {
            boolean helps = isKnown(hand) && cost(hand) <= LOW && cost(hand) < cost(own(slot.getAsInt()));
            if (helps || !offers.has("discard")) {
                return action("swap", "slot", slot);
            }
        }
        return offers.has("discard") ? action("discard") : null;
    }

    /** Which of our cards is turned face up. */
    private JsonObject flip(Offers offers) {
        JsonArray slots = offers.choices("flip", "slot");
        return slots.isEmpty() ? null : action("flip", "slot", slots.get(0));
    }

    /** What a card does. Change this to play better: there are many more powers than to peek. */
    private JsonObject power(Offers offers) {
        for (JsonElement target : offers.choices("peek", "target")) {
            Place place = placeOf(target);
            if (place.seat == seat && at(place).equals(UNKNOWN)) {
                return action("peek", "target", target);
            }
        }
        return null;
    }

    /** Who throws a card of the rank of the discard first is rid of it: here every microsecond counts. */
    private JsonObject slap(Offers offers) {
        for (JsonElement target : offers.choices("slap", "target")) {
            Place place = placeOf(target);
            String card = at(place);
            boolean isRight = isKnown(card) && isKnown(pile) && rank(card).equals(rank(pile));
            if (place.seat == seat && isRight && cost(card) > 0) {
                return action("slap", "target", target);
            }
        }
        return null;
    }

    /** The card that another seat gets after we slapped one of its cards. */
    private JsonObject give(Offers offers) {
        JsonElement slot = worst(offers.choices("give", "slot"));
        return slot == null ? null : action("give", "slot", slot);
    }

    /** Whether our shield stops an attack. */
    private JsonObject block(Offers offers) {
        return offers.has("block") ? action("block") : null;
    }

    /** Which rows to throw away in the two-deck game. */
    private JsonObject pairs(Offers offers) {
        var costly = new JsonArray();
        for (JsonElement row : offers.choices("discard_pairs", "rows")) {
            if (rowCost(row.getAsInt()) > 0) {
                costly.add(row);
            }
        }
        return offers.has("discard_pairs") ? action("discard_pairs", "rows", costly) : null;
    }

    /** Whether to take a row in par golf. */
    private JsonObject stroke(Offers offers) {
        for (JsonElement row : offers.choices("stroke", "row")) {
            int first = 2 * row.getAsInt();
            if (isKnown(own(first)) && isKnown(own(first + 1)) && rowCost(row.getAsInt()) <= LOW) {
                return action("stroke", "row", row);
            }
        }
        return null;
    }

    private static JsonObject action(String kind) {
        JsonObject action = new JsonObject();
        action.addProperty("kind", kind);
        return action;
    }

    private static JsonObject action(String kind, String field, JsonElement value) {
        JsonObject action = action(kind);
        action.add(field, value);
        return action;
    }

    /** The actions that are legal now: kinds of actions, with a choice for each of their fields. */
    private record Offers(JsonArray legal) {
        JsonObject find(String kind) {
            for (JsonElement offer : legal) {
                if (offer.getAsJsonObject().get("kind").getAsString().equals(kind)) {
                    return offer.getAsJsonObject();
                }
            }
            return null;
        }

        boolean has(String kind) {
            return find(kind) != null;
        }

        /** What a field of an action may be: one of these, or any of these. Nothing where the kind is not offered. */
        JsonArray choices(String kind, String field) {
            JsonObject offer = find(kind);
            if (offer == null) {
                return new JsonArray();
            }
            JsonObject choice = offer.getAsJsonObject(field);
            return choice.getAsJsonArray(choice.has("one_of") ? "one_of" : "any_of");
        }

        /** A legal action for any request, also for decisions that did not exist when this bot was written. */
        JsonObject leastCommittal() {
            List<String> kinds = List.of("pass", "none", "allow", "stop", "discard", "draw");
            JsonObject offer = kinds.stream().map(this::find).filter(Objects::nonNull).findFirst()
                    .orElse(legal.get(0).getAsJsonObject());
            JsonObject action = new JsonObject();
            for (String field : offer.keySet()) {
                JsonElement value = offer.get(field);
                action.add(field, field.equals("kind") ? value : firstOf(value.getAsJsonObject()));
            }
            return action;
        }

        private static JsonElement firstOf(JsonObject choice) {
            if (choice.has("one_of")) {
                return choice.getAsJsonArray("one_of").get(0);
            }
            var picked = new JsonArray();
            for (int i = 0; choice.has("pick") && i < choice.get("pick").getAsInt(); i++) {
                picked.add(choice.getAsJsonArray("of").get(i));
            }
            return picked;
        }
    }

    // ---- What cards count for.

    /** What a card counts for, as far as this bot knows. Change this to play better: which cards are left? */
    private int cost(String card) {
        JsonObject values = match.getAsJsonObject("values");
        return switch (card) {
            case NONE -> 0;
            case UNKNOWN -> HIDDEN;
            default -> values.get(values.has(card) ? card : rank(card)).getAsInt();
        };
    }

    private int rowCost(int row) {
        return cost(own(2 * row)) + cost(own(2 * row + 1));
    }

    /** The slot of ours whose card costs most, the lowest one among equals; null where there are no slots. */
    private JsonElement worst(JsonArray slots) {
        JsonElement worst = null;
        for (JsonElement slot : slots) {
            int more = worst == null ? 1 : cost(own(slot.getAsInt())) - cost(own(worst.getAsInt()));
            if (more > 0 || more == 0 && slot.getAsInt() < worst.getAsInt()) {
                worst = slot;
            }
        }
        return worst;
    }

    private static boolean isKnown(String card) {
        return !card.equals(NONE) && !card.equals(UNKNOWN);
    }

    /** All of a card but its last character, the suit. Jokers are X1, X2 and so on. */
    private static String rank(String card) {
        return card.startsWith("X") ? "X" : card.substring(0, card.length() - 1);
    }

    // ---- What happened. Everything is told once, so it is kept here.

    /** Takes over what an event tells. Events that are not named here move no card, or are new. */
    private void read(JsonObject event) {
        switch (event.get("event").getAsString()) {
            case "round" -> {
                int slots = number(event, "rows") * number(match, "columns");
                layouts.clear();
                for (int i = 0; i < number(match, "seats"); i++) {
                    layouts.add(new ArrayList<>(Collections.nCopies(slots, UNKNOWN)));
                }
                discard(NONE);
            }
            case "up_card" -> pile = card(event, "card");
            case "turned_up", "looked" -> uncover(event);
            case "swapped_own" -> {
                JsonArray slots = event.getAsJsonArray("slots");
                int of = number(event, "seat");
                exchange(new Place(of, slots.get(0).getAsInt()), new Place(of, slots.get(1).getAsInt()));
                uncover(event);
            }
            case "arranged" -> {
                if (event.get("slots") instanceof JsonArray slots) {
                    rearrange(number(event, "seat"), slots);
                }
            }
            case "drew" -> hand = card(event, "card");
            case "swapped" -> {
                put(slot(event), orUnknown(card(event, "card")));
                discard(card(event, "replaced"));
            }
            case "discarded", "power" -> discard(card(event, "card"));
            case "traded" -> {
                put(target(event), card(event, "given"));
                hand = card(event, "taken");
            }
            case "peeked", "exposed" -> {
                if (isKnown(card(event, "card"))) {
                    put(target(event), card(event, "card"));
                }
            }
            case "switched" -> {
                JsonArray targets = event.getAsJsonArray("targets");
                exchange(placeOf(targets.get(0)), placeOf(targets.get(1)));
            }
            case "rearranged" -> {
                if (event.get("slots") instanceof JsonArray slots) {
                    rearrange(number(event, "of"), slots);
                } else {
                    forget(number(event, "of"));
                }
            }
            case "shuffled" -> forget(number(event, "of"));
            case "lines_swapped" -> {
                forget(number(event, "of"));
                look(number(event, "of"), event.getAsJsonArray("layout"));
            }
            case "added" -> put(target(event), UNKNOWN);
            case "removed" -> {
                put(target(event), NONE);
                pile = card(event, "card");
            }
            case "planted" -> {
                put(target(event), card(event, "card"));
                discard(card(event, "replaced"));
            }
            case "kept" -> {
                put(slot(event), orUnknown(card(event, "card")));
                discard(last(event.getAsJsonArray("discarded"), pile));
            }
            case "blocked" -> pile = isKnown(card(event, "shield")) ? card(event, "shield") : pile;
            case "pairs_discarded" -> {
                int of = number(event, "seat");
                for (JsonElement row : event.getAsJsonArray("rows")) {
                    put(new Place(of, 2 * row.getAsInt()), NONE);
                    put(new Place(of, 2 * row.getAsInt() + 1), NONE);
                }
                pile = last(event.getAsJsonArray("cards"), pile);
            }
            case "slapped" -> slapped(event);
            case "gave" -> {
                put(target(event), at(slot(event)));
                put(slot(event), NONE);
            }
            default -> { }
        }
    }

    /** A right card lies on the pile now. Any other is back, or the slapper's, who has got a card in a new slot. */
    private void slapped(JsonObject event) {
        Place target = target(event);
        String card = card(event, "card");
        if (event.get("verdict").getAsString().equals("right")) {
            put(target, NONE);
            pile = card;
            return;
        }
        put(target, card);
        if (event.get("new_slot").isJsonNull()) {
            return;
        }
        var newPlace = new Place(number(event, "seat"), number(event, "new_slot"));
        if (target.seat == newPlace.seat) {
            put(newPlace, UNKNOWN);
        } else {
            put(newPlace, card);
            put(target, NONE);
        }
    }

    private String own(int slot) {
        return at(new Place(seat, slot));
    }

    private String at(Place place) {
        boolean isThere = place.seat < layouts.size() && place.slot < layouts.get(place.seat).size();
        return isThere ? layouts.get(place.seat).get(place.slot) : NONE;
    }

    /** Puts a card into a slot. Slots beyond the end of a layout are new ones. */
    private void put(Place place, String card) {
        while (layouts.size() <= place.seat) {
            layouts.add(new ArrayList<>());
        }
        List<String> layout = layouts.get(place.seat);
        while (layout.size() <= place.slot) {
            layout.add(NONE);
        }
        layout.set(place.slot, card);
    }

    private void discard(String card) {
        pile = card;
        hand = NONE;
    }

    private void exchange(Place one, Place other) {
        String first = at(one);
        put(one, at(other));
        put(other, first);
    }

    /** Notes the cards that were shown. */
    private void uncover(JsonObject event) {
        JsonArray slots = event.getAsJsonArray("slots");
        JsonArray cards = event.getAsJsonArray("cards");
        for (int i = 0; i < slots.size(); i++) {
            if (!cards.get(i).isJsonNull()) {
                put(new Place(number(event, "seat"), slots.get(i).getAsInt()), cards.get(i).getAsString());
            }
        }
    }

    /** The first occupied slot gets the card of the first of {@code slots}, and so on. */
    private void rearrange(int of, JsonArray slots) {
        var before = new ArrayList<>(layouts.get(of));
        int moved = 0;
        for (int slot = 0; slot < before.size() && moved < slots.size(); slot++) {
            if (!before.get(slot).equals(NONE)) {
                layouts.get(of).set(slot, before.get(slots.get(moved++).getAsInt()));
            }
        }
    }

    private void forget(int of) {
        layouts.get(of).replaceAll(card -> card.equals(NONE) ? NONE : UNKNOWN);
    }

    /** Takes over what lies open. What lies face down stays as this bot remembers it. */
    private void look(int of, JsonArray seen) {
        for (int slot = 0; slot < seen.size(); slot++) {
            var place = new Place(of, slot);
            String card = cardOf(seen.get(slot));
            if (!card.equals(UNKNOWN) || at(place).equals(NONE)) {
                put(place, card);
            }
        }
        layouts.get(of).subList(seen.size(), layouts.get(of).size()).clear();
    }

    // ---- JSON.

    private static int number(JsonObject object, String field) {
        return object.get(field).getAsInt();
    }

    private static String cardOf(JsonElement value) {
        return value.isJsonNull() ? NONE : value.getAsString();
    }

    private static String card(JsonObject event, String field) {
        return cardOf(event.get(field));
    }

    private static String orUnknown(String card) {
        return card.equals(NONE) ? UNKNOWN : card;
    }

    private static String last(JsonArray cards, String otherwise) {
        return cards.isEmpty() ? otherwise : cardOf(cards.get(cards.size() - 1));
    }

    private static Place placeOf(JsonElement target) {
        JsonArray pair = target.getAsJsonArray();
        return new Place(pair.get(0).getAsInt(), pair.get(1).getAsInt());
    }

    private static Place slot(JsonObject event) {
        return new Place(number(event, "seat"), number(event, "slot"));
    }

    private static Place target(JsonObject event) {
        return placeOf(event.get("target"));
    }
}
