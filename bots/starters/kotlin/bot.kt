// A bot that plays every game of golfref. It remembers the cards that it has seen, keeps low ones and throws high ones
// away.
//
// It reads JSON messages from standard input, a line each, and answers `hello` and every `request` with a line on
// standard output. Print nothing else there: what you want to see of a match goes to System.err. Read it from the top,
// and change what is marked "Change this to play better".

import com.google.gson.JsonArray
import com.google.gson.JsonElement
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import com.google.gson.JsonPrimitive

const val LOW = 4 // a card of at most so many points is kept
const val HIDDEN = 5 // points that an unknown card counts for

const val UNKNOWN = "?" // a card that this bot has not seen
const val NONE = "" // no card, which is null in JSON

data class Place(val seat: Int, val slot: Int)

fun main() {
    var match: Match? = null
    for (line in System.`in`.bufferedReader().lineSequence()) { // in UTF-8, whatever the system prefers
        val message = JsonParser.parseString(line).asJsonObject
        when (message["type"].asString) {
            "hello" -> say(json("type" to "ready", "name" to "my-bot", "version" to "1"))
            "match" -> match = Match(message)
            "request" -> {
                val action = checkNotNull(match) { "a request before any match" }.decide(message)
                say(json("type" to "answer", "id" to message["id"], "action" to action))
            }
        } // `end` needs no answer. Another match may follow.
    }
}

/** Writes a line at once. */
fun say(message: JsonObject) {
    print("$message\n")
    System.out.flush()
}

/** What this bot knows of a match, which `message` began. */
class Match(private val message: JsonObject) {
    private val seat = message["seat"].asInt
    private val values = message["values"].asJsonObject
    private var layouts = mutableListOf<MutableList<String>>() // by seat and slot: a card, UNKNOWN or NONE
    private var hand = NONE // the card that was drawn
    private var pile = NONE // the top card of the discard pile

    /** Reads what has happened, and gives an action that is offered. */
    fun decide(request: JsonObject): JsonObject {
        request["events"].asJsonArray.forEach { read(it.asJsonObject) }
        request["table"]?.asJsonObject?.let { table ->
            table["layouts"].asJsonArray.forEachIndexed { seat, layout -> look(seat, cards(layout)) }
            pile = cards(table["pile"]).lastOrNull() ?: NONE
        }
        val offers = Offers(request["legal"].asJsonArray)
        return choose(request["decision"].asString, offers) ?: offers.leastCommittal()
    }

    // ---- Decisions.

    /** The best of the actions that are offered, as far as this bot sees, or null where it does not care. */
    private fun choose(decision: String, offers: Offers): JsonObject? = when (decision) {
        "turn" -> turn(offers)
        "place" -> place(offers)
        // Which of our cards is turned face up.
        "flip" -> offers.choices("flip", "slot").firstOrNull()?.let { json("kind" to "flip", "slot" to it) }
        // What a card does. Change this to play better: there are many more powers than to peek.
        "power" -> offers.choices("peek", "target")
            .firstOrNull { place(it).seat == seat && at(place(it)) == UNKNOWN }
            ?.let { json("kind" to "peek", "target" to it) }
        // Who throws a card of the rank of the discard first is rid of it: here every microsecond counts.
        "slap" -> offers.choices("slap", "target")
            .firstOrNull { place(it).seat == seat && isWorthThrowing(at(place(it))) }
            ?.let { json("kind" to "slap", "target" to it) }
        // The card that another seat gets after we slapped one of its cards.
        "give" -> worst(offers.choices("give", "slot"))?.let { json("kind" to "give", "slot" to it) }
        // Whether our shield stops an attack.
        "block" -> offers.find("block")?.let { json("kind" to "block") }
        // Which rows to throw away in the two-deck game.
        "pairs" -> offers.find("discard_pairs")?.let {
            val costly = offers.choices("discard_pairs", "rows").filter { row -> rowCost(row.asInt) > 0 }
            json("kind" to "discard_pairs", "rows" to costly)
        }
        // Whether to take a row in par golf.
        "stroke" -> offers.choices("stroke", "row")
            .firstOrNull { isKnown(own(2 * it.asInt)) && isKnown(own(2 * it.asInt + 1)) && rowCost(it.asInt) <= LOW }
            ?.let { json("kind" to "stroke", "row" to it) }
        else -> null
    }

    /** The start of our turn. Change this to play better: how sure must you be before you end a round? */
    private fun turn(offers: Offers): JsonObject? {
        val own = layouts[seat]
        if (UNKNOWN !in own && own.map(::cost).sum() <= LOW) {
            val ending = listOf("knock", "end").firstOrNull { offers.find(it) != null }
            if (ending != null) return json("kind" to ending)
        }
        val sources = offers.choices("draw", "from").map { it.asString }
        val pileIsLow = isKnown(pile) && cost(pile) <= LOW
        return when {
            "pile" in sources && (pileIsLow || "stock" !in sources) -> json("kind" to "draw", "from" to "pile")
            "stock" in sources -> json("kind" to "draw", "from" to "stock")
            else -> null
        }
    }

    /** Where the drawn card goes. Change this to play better: in many games equal cards in a line count nothing. */
    private fun place(offers: Offers): JsonObject? {
        val slot = worst(offers.choices("swap", "slot"))
        val discard = offers.find("discard")?.let { json("kind" to "discard") }
        if (slot != null) {
            val helps = isKnown(hand) && cost(hand) <= LOW && cost(hand) < cost(own(slot))
            if (helps || discard == null) return json("kind" to "swap", "slot" to slot)
        }
        return discard
    }

    // ---- What cards count for.

    /** What a card counts for, as far as this bot knows. Change this to play better: which cards are left? */
    private fun cost(card: String): Int = when (card) {
        NONE -> 0
        UNKNOWN -> HIDDEN
        else -> (values[card] ?: values[rank(card)]).asInt
    }

    private fun rowCost(row: Int) = cost(own(2 * row)) + cost(own(2 * row + 1))

    /** The slot of ours whose card costs most, the lowest one among equals. */
    private fun worst(slots: List<JsonElement>): Int? =
        slots.map { it.asInt }.sortedWith(compareBy({ -cost(own(it)) }, { it })).firstOrNull()

    private fun isWorthThrowing(card: String) =
        isKnown(card) && isKnown(pile) && rank(card) == rank(pile) && cost(card) > 0

    // ---- What happened. Everything is told once, so it is kept here.

    /** Takes over what an event tells. Events that are not named here move no card, or are new. */
    private fun read(event: JsonObject) {
        fun number(field: String) = event[field].asInt
        fun card(field: String) = card(event[field])
        fun slot() = Place(number("seat"), number("slot"))
        fun target() = place(event["target"])
        val slots = (event["slots"] as? JsonArray)?.map { it.asInt }

        when (event["event"].asString) {
            "round" -> {
                val dealt = number("rows") * message["columns"].asInt
                layouts = MutableList(message["seats"].asInt) { MutableList(dealt) { UNKNOWN } }
                discard(NONE)
            }
            "up_card" -> pile = card("card")
            "turned_up", "looked" -> uncover(number("seat"), slots.orEmpty(), cards(event["cards"]))
            "swapped_own" -> {
                val (one, other) = slots.orEmpty().map { Place(number("seat"), it) }
                exchange(one, other)
                uncover(number("seat"), slots.orEmpty(), cards(event["cards"]))
            }
            "arranged" -> slots?.let { rearrange(number("seat"), it) }
            "drew" -> hand = card("card")
            "swapped" -> {
                put(slot(), orUnknown(card("card")))
                discard(card("replaced"))
            }
            "discarded", "power" -> discard(card("card"))
            "traded" -> {
                put(target(), card("given"))
                hand = card("taken")
            }
            "peeked", "exposed" -> if (isKnown(card("card"))) put(target(), card("card"))
            "switched" -> {
                val (one, other) = event["targets"].asJsonArray.map { place(it) }
                exchange(one, other)
            }
            "rearranged" -> if (slots != null) rearrange(number("of"), slots) else forget(number("of"))
            "shuffled" -> forget(number("of"))
            "lines_swapped" -> {
                forget(number("of"))
                look(number("of"), cards(event["layout"]))
            }
            "added" -> put(target(), UNKNOWN)
            "removed" -> {
                put(target(), NONE)
                pile = card("card")
            }
            "planted" -> {
                put(target(), card("card"))
                discard(card("replaced"))
            }
            "kept" -> {
                put(slot(), orUnknown(card("card")))
                discard(cards(event["discarded"]).lastOrNull() ?: pile)
            }
            "blocked" -> if (isKnown(card("shield"))) pile = card("shield")
            "pairs_discarded" -> {
                for (row in event["rows"].asJsonArray.map { it.asInt }) {
                    put(Place(number("seat"), 2 * row), NONE)
                    put(Place(number("seat"), 2 * row + 1), NONE)
                }
                pile = cards(event["cards"]).lastOrNull() ?: pile
            }
            "slapped" -> slapped(event)
            "gave" -> {
                put(target(), at(slot()))
                put(slot(), NONE)
            }
        }
    }

    /** A right card lies on the pile now. Any other is back, or the slapper's, who has got a card in a new slot. */
    private fun slapped(event: JsonObject) {
        val target = place(event["target"])
        val card = card(event["card"])
        if (event["verdict"].asString == "right") {
            put(target, NONE)
            pile = card
            return
        }
        put(target, card)
        if (event["new_slot"].isJsonNull) return
        val newPlace = Place(event["seat"].asInt, event["new_slot"].asInt)
        if (target.seat == newPlace.seat) {
            put(newPlace, UNKNOWN)
        } else {
            put(newPlace, card)
            put(target, NONE)
        }
    }

    private fun own(slot: Int) = at(Place(seat, slot))

    private fun at(place: Place) = layouts.getOrNull(place.seat)?.getOrNull(place.slot) ?: NONE

    /** Puts a card into a slot. Slots beyond the end of a layout are new ones. */
    private fun put(place: Place, card: String) {
        while (layouts.size <= place.seat) layouts.add(mutableListOf())
        val layout = layouts[place.seat]
        while (layout.size <= place.slot) layout.add(NONE)
        layout[place.slot] = card
    }

    private fun discard(card: String) {
        pile = card
        hand = NONE
    }

    private fun exchange(one: Place, other: Place) {
        val first = at(one)
        put(one, at(other))
        put(other, first)
    }

    /** Notes the cards that were shown. */
    private fun uncover(seat: Int, slots: List<Int>, cards: List<String>) {
        for ((slot, card) in slots.zip(cards)) if (card != NONE) put(Place(seat, slot), card)
    }

    /** The first occupied slot gets the card of the first of `slots`, and so on. */
    private fun rearrange(seat: Int, slots: List<Int>) {
        val moved = slots.map { at(Place(seat, it)) }
        val occupied = layouts[seat].indices.filter { layouts[seat][it] != NONE }
        for ((slot, card) in occupied.zip(moved)) layouts[seat][slot] = card
    }

    private fun forget(seat: Int) = layouts[seat].replaceAll { if (it == NONE) NONE else UNKNOWN }

    /** Takes over what lies open. What lies face down stays as this bot remembers it. */
    private fun look(seat: Int, layout: List<String>) {
        layout.forEachIndexed { slot, card ->
            val place = Place(seat, slot)
            if (card != UNKNOWN || at(place) == NONE) put(place, card)
        }
        layouts[seat] = layouts[seat].take(layout.size).toMutableList()
    }
}

/** The actions that are legal now: kinds of actions, with a choice for each of their fields. */
class Offers(legal: JsonArray) {
    private val legal = legal.map { it.asJsonObject }

    fun find(kind: String): JsonObject? = legal.firstOrNull { it["kind"].asString == kind }

    /** What a field of an action may be: one of these, or any of these. Nothing where the kind is not offered. */
    fun choices(kind: String, field: String): List<JsonElement> {
        val choice = find(kind)?.getAsJsonObject(field) ?: return emptyList()
        return (choice["one_of"] ?: choice["any_of"]).asJsonArray.toList()
    }

    /** A legal action for any request, also for decisions that did not exist when this bot was written. */
    fun leastCommittal(): JsonObject {
        val kinds = listOf("pass", "none", "allow", "stop", "discard", "draw")
        val offer = kinds.mapNotNull(::find).firstOrNull() ?: legal.first()
        val fields = offer.entrySet().filter { it.key != "kind" }.map { it.key to firstOf(it.value) }
        return json("kind" to offer["kind"], *fields.toTypedArray())
    }

    private fun firstOf(choice: JsonElement): Any = choice.asJsonObject.run {
        when {
            has("one_of") -> this["one_of"].asJsonArray[0]
            has("pick") -> this["of"].asJsonArray.take(this["pick"].asInt)
            else -> emptyList<JsonElement>()
        }
    }
}

// ---- Cards and JSON.

fun isKnown(card: String) = card != NONE && card != UNKNOWN

fun orUnknown(card: String) = if (card == NONE) UNKNOWN else card

/** All of a card but its last character, the suit. Jokers are X1, X2 and so on. */
fun rank(card: String) = if (card.startsWith("X")) "X" else card.dropLast(1)

fun card(value: JsonElement): String = if (value.isJsonNull) NONE else value.asString

fun cards(values: JsonElement) = values.asJsonArray.map(::card)

fun place(target: JsonElement) = target.asJsonArray.let { Place(it[0].asInt, it[1].asInt) }

/** An object with these fields. */
fun json(vararg fields: Pair<String, Any>) = JsonObject().apply {
    for ((name, value) in fields) add(name, toJson(value))
}

fun toJson(value: Any): JsonElement = when (value) {
    is JsonElement -> value
    is List<*> -> JsonArray().apply { value.forEach { add(it as JsonElement) } }
    is Number -> JsonPrimitive(value)
    else -> JsonPrimitive(value.toString())
}
