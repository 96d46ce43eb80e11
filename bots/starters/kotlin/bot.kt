// A bot that plays every game of golfref legally. It keeps low cards and throws high ones away, judging by the cards
// that lie open. Four comments that begin with "Next:" say what to add.
//
// It reads JSON messages from standard input, a line each, and writes its answers to standard output. Print nothing
// else there: use System.err for what helps you to find mistakes.

import com.google.gson.JsonArray
import com.google.gson.JsonElement
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import com.google.gson.JsonPrimitive

const val LOW = 4 // a card of at most so many points is taken from the pile
const val HIDDEN = 5 // the points of a card that lies face down
const val PATIENCE = 4 // the first own turn of a round in which the bot may end it

fun main() {
    var bot: Bot? = null
    for (line in System.`in`.bufferedReader().lineSequence()) { // in UTF-8, whatever the system prefers
        val message = JsonParser.parseString(line).asJsonObject
        when (message["type"].asString) {
            "hello" -> write(json("type" to "ready", "name" to "my-bot", "slaps" to false))
            "match" -> bot = Bot(message)
            "request" -> write(json("type" to "answer", "id" to message["id"], "action" to bot!!.decide(message)))
        } // `end` needs no answer. Another match may follow.
    }
}

/** Sends a line at once. */
fun write(message: JsonObject) {
    System.out.write("$message\n".toByteArray()) // in UTF-8, as above
    System.out.flush()
}

/** What this bot knows of the match that `match` began: our seat, what cards are worth, the options of the game. */
class Bot(private val match: JsonObject) {
    private var layouts = listOf<List<String>>() // by seat and slot: "10H", "?" where face down, "" for no card
    private var pile: String? = null // the top card of the discard pile
    private var drawn = "" // the card that we drew last
    private var turns = 0 // our turns in this round
    private var offers = mapOf<String, JsonObject>() // what the request offers, by kind

    /** One of the legal actions. */
    fun decide(request: JsonObject): JsonObject {
        for (event in request["events"].asJsonArray.map { it.asJsonObject }) {
            when (event["event"].asString) {
                "round" -> turns = 0
                "drew" -> if (event["seat"] == match["seat"]) drawn = event["card"].asString
            } // Next: remember your cards in `looked`, `peeked`, `swapped`: write them over each `?` of your layout.
        }
        request["table"]?.asJsonObject?.let { table ->
            layouts = table["layouts"].asJsonArray.map(::cards)
            pile = cards(table["pile"]).firstOrNull()
        }
        val legal = request["legal"].asJsonArray.map { it.asJsonObject }
        offers = legal.associateBy { it["kind"].asString }
        val action = when (request["decision"].asString) {
            "turn" -> turn()
            "place" -> place()
            "flip" -> flip()
            else -> null
        }
        return action ?: decline(legal)
    }

    /** The start of our turn: end the round or draw a card. */
    private fun turn(): JsonObject? {
        turns++
        // Next: end a round only with a good lead. `knock_penalty` in the options is the price of a wrong end.
        if (turns >= PATIENCE && layouts.all { total(it) >= total(own()) }) {
            listOf("knock", "end").find { it in offers }?.let { return json("kind" to it) }
        }
        val sources = oneOf("draw", "from")?.map { it.asString } ?: return null
        val helps = pile?.let { top -> cost(top) <= LOW && own().any { cost(it) > cost(top) } } ?: false
        return json("kind" to "draw", "from" to if (helps && "pile" in sources) "pile" else sources[0])
    }

    /** Where the drawn card goes: to the slot of our worst card, or to the pile. */
    private fun place(): JsonObject? {
        // Next: look for pairs. In many games equal cards in a line count nothing: see `cancel` in the options.
        val slot = worst(oneOf("swap", "slot")?.map { it.asInt } ?: return null)
        if ("discard" in offers && cost(drawn) >= cost(own()[slot])) return json("kind" to "discard")
        return json("kind" to "swap", "slot" to slot)
    }

    /** Which of our cards is turned face up: any, but not the last one, which would end the round. */
    private fun flip(): JsonObject? {
        val slots = oneOf("flip", "slot") ?: return null
        if (slots.size() == 1 && "none" in offers) return json("kind" to "none")
        return json("kind" to "flip", "slot" to slots[0])
    }

    /** Next: powers, pairs, strokes and slaps. Each wants a line in `decide`, and slaps want "slaps" to true above. */
    private fun decline(legal: List<JsonObject>): JsonObject {
        val kind = listOf("pass", "none", "allow", "stop", "discard", "draw").find { it in offers }
        val action = JsonObject()
        for ((field, choice) in (offers[kind] ?: legal[0]).entrySet()) {
            action.add(field, if (field == "kind") choice else firstOf(choice.asJsonObject))
        }
        return action
    }

    /** The first value that a choice allows: one of some, exactly so many of some, or as many of some as we like. */
    private fun firstOf(choice: JsonObject): JsonElement {
        choice["one_of"]?.let { return it.asJsonArray[0] }
        val some = JsonArray()
        choice["pick"]?.let { pick -> choice["of"].asJsonArray.take(pick.asInt).forEach(some::add) }
        return some
    }

    private fun oneOf(kind: String, field: String) = offers[kind]?.get(field)?.asJsonObject?.get("one_of")?.asJsonArray

    private fun own() = layouts.getOrElse(match["seat"].asInt) { listOf() }

    /** Of these slots of ours the one whose card counts most; of equal ones another each turn. */
    private fun worst(slots: List<Int>): Int {
        val costs = slots.map { cost(own()[it]) }
        val equal = slots.filterIndexed { i, _ -> costs.all { it <= costs[i] } }
        return equal[turns % equal.size]
    }

    private fun total(layout: List<String>) = layout.sumBy(::cost)

    /** The points of a card. `values` holds them by rank, or by card where one differs from its rank. */
    private fun cost(card: String): Int {
        if (card == "") return 0
        if (card == "?") return HIDDEN
        val values = match["values"].asJsonObject
        val rank = if (card.startsWith("X")) "X" else card.dropLast(1) // the suit comes last
        return (values[card] ?: values[rank]).asInt
    }
}

fun cards(layout: JsonElement) = layout.asJsonArray.map { if (it.isJsonNull) "" else it.asString }

/** An object with these fields. */
fun json(vararg fields: Pair<String, Any>) = JsonObject().apply {
    for ((field, value) in fields) {
        add(field, when (value) {
            is JsonElement -> value
            is Boolean -> JsonPrimitive(value)
            is Int -> JsonPrimitive(value)
            else -> JsonPrimitive(value.toString())
        })
    }
}
