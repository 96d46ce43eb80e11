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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A bot that plays every game of golfref legally. It keeps low cards and throws high ones away, judging by the cards
 * that lie open. Four comments that begin with "Next:" say what to add.
 *
 * <p>It reads JSON messages from standard input, a line each, and writes its answers to standard output. Print nothing
 * else there: use System.err for what helps you to find mistakes.
 */
public final class Bot {
    /** A card of at most so many points is taken from the pile. */
    private static final int LOW = 4;
    /** The points of a card that lies face down. */
    private static final int HIDDEN = 5;
    /** The first own turn of a round in which the bot may end it. */
    private static final int PATIENCE = 4;

    /** The message that began the match: our seat, what cards are worth, the options of the game. */
    private final JsonObject match;
    /** By seat and slot: a card such as "10H", "?" for one that lies face down, "" for an empty slot. */
    private final List<List<String>> layouts = new ArrayList<>();
    /** The top card of the discard pile, or "" where that is empty. */
    private String pile = "";
    /** The card that we drew last. */
    private String drawn = "";
    /** Our turns in this round. */
    private int turns;
    /** What the request offers, by kind. */
    private final Map<String, JsonObject> offers = new HashMap<>();

    private Bot(JsonObject match) {
        this.match = match;
    }

    public static void main(String[] arguments) throws IOException {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Bot bot = null;
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            JsonObject message = JsonParser.parseString(line).getAsJsonObject();
            switch (message.get("type").getAsString()) {
                case "hello" -> write("{\"type\":\"ready\",\"name\":\"my-bot\",\"slaps\":false}");
                case "match" -> bot = new Bot(message);
                case "request" -> {
                    JsonObject answer = new JsonObject();
                    answer.addProperty("type", "answer");
                    answer.add("id", message.get("id"));
                    answer.add("action", bot.decide(message));
                    write(answer.toString());
                }
                default -> {} // `end` needs no answer. Another match may follow.
            }
        }
    }

    /** Sends a line at once. */
    private static void write(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        System.out.write(bytes, 0, bytes.length);
        System.out.flush();
    }

    /** One of the legal actions. */
    private JsonObject decide(JsonObject request) {
        for (JsonElement element : request.getAsJsonArray("events")) {
            JsonObject event = element.getAsJsonObject();
            String name = event.get("event").getAsString();
            if (name.equals("round")) {
                turns = 0;
            } else if (name.equals("drew") && event.get("seat").equals(match.get("seat"))) {
                drawn = event.get("card").getAsString();
            } // Next: remember your cards in `looked`, `peeked`, `swapped`: write them over each `?` of your layout.
        }
        if (request.has("table")) {
            JsonObject table = request.getAsJsonObject("table");
            layouts.clear();
            table.getAsJsonArray("layouts").forEach(layout -> layouts.add(cards(layout)));
            pile = String.join("", cards(table.get("pile")));
        }
        JsonArray legal = request.getAsJsonArray("legal");
        offers.clear();
        legal.forEach(offer -> offers.put(offer.getAsJsonObject().get("kind").getAsString(), offer.getAsJsonObject()));
        JsonObject action = switch (request.get("decision").getAsString()) {
            case "turn" -> turn();
            case "place" -> place();
            case "flip" -> flip();
            default -> null;
        };
        return action != null ? action : decline(legal);
    }

    /** The start of our turn: end the round or draw a card. */
    private JsonObject turn() {
        turns++;
        boolean leads = layouts.stream().allMatch(layout -> total(layout) >= total(own()));
        // Next: end a round only with a good lead. `knock_penalty` in the options is the price of a wrong end.
        for (String ending : List.of("knock", "end")) {
            if (leads && turns >= PATIENCE && offers.containsKey(ending)) return act(ending);
        }
        if (!offers.containsKey("draw")) return null;
        JsonArray sources = oneOf("draw", "from");
        boolean helps = own().stream().anyMatch(card -> cost(card) > cost(pile));
        boolean takes = !pile.isEmpty() && cost(pile) <= LOW && helps && sources.contains(new JsonPrimitive("pile"));
        JsonObject action = act("draw");
        action.add("from", takes ? new JsonPrimitive("pile") : sources.get(0));
        return action;
    }

    /** Where the drawn card goes: to the slot of our worst card, or to the pile. */
    private JsonObject place() {
        if (!offers.containsKey("swap")) return null;
        // Next: look for pairs. In many games equal cards in a line count nothing: see `cancel` in the options.
        int slot = worst(oneOf("swap", "slot"));
        if (offers.containsKey("discard") && cost(drawn) >= cost(own().get(slot))) return act("discard");
        JsonObject action = act("swap");
        action.addProperty("slot", slot);
        return action;
    }

    /** Which of our cards is turned face up: any, but not the last one, which would end the round. */
    private JsonObject flip() {
        JsonArray slots = oneOf("flip", "slot");
        if (slots.size() == 1 && offers.containsKey("none")) return act("none");
        JsonObject action = act("flip");
        action.add("slot", slots.get(0));
        return action;
    }

    /** Next: powers, pairs, strokes and slaps. Each wants a line in `decide`, and slaps want "slaps":true in main. */
    private JsonObject decline(JsonArray legal) {
        JsonObject offer = legal.get(0).getAsJsonObject();
        for (String kind : List.of("draw", "discard", "stop", "allow", "none", "pass")) {
            offer = offers.getOrDefault(kind, offer);
        }
        JsonObject action = new JsonObject();
        offer.entrySet().forEach(choice -> action.add(choice.getKey(), firstOf(choice.getValue())));
        return action;
    }

    /** The first value that a choice allows: one of some, exactly so many of some, or as many of some as we like. */
    private static JsonElement firstOf(JsonElement kindOrChoice) {
        if (!kindOrChoice.isJsonObject()) return kindOrChoice;
        JsonObject choice = kindOrChoice.getAsJsonObject();
        if (choice.has("one_of")) return choice.getAsJsonArray("one_of").get(0);
        JsonArray some = new JsonArray();
        for (int i = 0; choice.has("pick") && i < choice.get("pick").getAsInt(); i++) {
            some.add(choice.getAsJsonArray("of").get(i));
        }
        return some;
    }

    private static JsonObject act(String kind) {
        JsonObject action = new JsonObject();
        action.addProperty("kind", kind);
        return action;
    }

    private JsonArray oneOf(String kind, String field) {
        return offers.get(kind).getAsJsonObject(field).getAsJsonArray("one_of");
    }

    private static List<String> cards(JsonElement layout) {
        List<String> cards = new ArrayList<>();
        layout.getAsJsonArray().forEach(card -> cards.add(card.isJsonNull() ? "" : card.getAsString()));
        return cards;
    }

    private List<String> own() {
        return layouts.isEmpty() ? List.of() : layouts.get(match.get("seat").getAsInt());
    }

    /** Of these slots of ours the one whose card counts most; of equal ones another each turn. */
    private int worst(JsonArray slots) {
        List<Integer> equal = new ArrayList<>();
        int most = Integer.MIN_VALUE;
        for (JsonElement slot : slots) {
            int cost = cost(own().get(slot.getAsInt()));
            if (cost > most) equal.clear();
            if (cost >= most) equal.add(slot.getAsInt());
            most = Math.max(most, cost);
        }
        return equal.get(turns % equal.size());
    }

    private int total(List<String> layout) {
        return layout.stream().mapToInt(this::cost).sum();
    }

    /** The points of a card. {@code values} holds them by rank, or by card where one differs from its rank. */
    private int cost(String card) {
        if (card.isEmpty()) return 0;
        if (card.equals("?")) return HIDDEN;
        JsonObject values = match.getAsJsonObject("values");
        String rank = card.startsWith("X") ? "X" : card.substring(0, card.length() - 1); // the suit comes last
        return values.get(values.has(card) ? card : rank).getAsInt();
    }
}
