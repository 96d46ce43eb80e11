# frozen_string_literal: true

# A bot that plays every game of golfref legally. It remembers each card that it sees, keeps low ones and throws high
# ones away. Read it from the top, then change the methods marked "Change this to play better".
#
# The referee writes one JSON message a line to standard input, and reads the answers from standard output. Write
# nothing else there: warn is for what helps you to find mistakes.

require 'json'

LOW = 4        # a card of at most so many points is kept
HIDDEN = 5     # what a card counts that we do not know
UNKNOWN = '?'

# One match. The messages stay as they come: hashes with strings as keys.
class Match
  def initialize(match)
    @seats, @seat, @columns, @values = match.values_at('seats', 'seat', 'columns', 'values')
    @layouts = Array.new(@seats) { [] } # by seat and slot: a card such as "10H", UNKNOWN, or nil where no card lies
    @hand = nil                         # the card that was just drawn, nil where we do not see it
    @pile = nil                         # the top card of the discard pile, nil where the pile is empty
  end

  # The action for a request. `legal` lists all that may be answered, and we never answer anything else.
  def decide(request)
    request['events'].each { |event| remember(event) }
    look(request['table']) if request['table']
    @legal = request['legal']
    choose(request['decision']) || least_committal
  end

  private

  # ---- Decisions. Each method returns an action. Where it returns nil, least_committal answers, as it does for all
  # ---- decisions that are not named here.

  def choose(decision)
    case decision
    when 'turn' then turn
    when 'place' then place
    when 'flip' then flip
    when 'power' then power
    when 'slap' then slap
    when 'give' then give
    when 'block' then block
    when 'pairs' then pairs
    when 'stroke' then stroke
    end
  end

  # The offer of this kind, nil where there is none; or what it says about a field.
  def offered(kind, *path)
    @legal.find { |offer| offer['kind'] == kind }&.then { |offer| path.empty? ? offer : offer.dig(*path) }
  end

  # The start of our turn. Change this to play better: how sure must you be before you end a round?
  def turn
    own = @layouts[@seat]
    if !own.include?(UNKNOWN) && own.sum { |card| cost(card) } <= LOW
      ending = %w[knock end].find { |kind| offered(kind) }
      return { kind: ending } if ending
    end
    sources = offered('draw', 'from', 'one_of') or return
    take_pile = sources.include?('pile') && (!sources.include?('stock') || (@pile && points(@pile) <= LOW))
    { kind: 'draw', from: take_pile ? 'pile' : 'stock' }
  end

  # Where the drawn card goes. Change this to play better: in many games equal cards in a line count nothing.
  def place
    slots = offered('swap', 'slot', 'one_of')
    slot = worst(slots) if slots
    discard = offered('discard') && { kind: 'discard' }
    swap = slot && { kind: 'swap', slot: slot }
    return discard || swap unless @hand && swap

    helps = points(@hand) <= LOW && points(@hand) < cost(own(slot))
    helps || !discard ? swap : discard
  end

  # Which of our cards is turned face up.
  def flip
    slots = offered('flip', 'slot', 'one_of')
    slots && { kind: 'flip', slot: slots.first }
  end

  # The power of a card. Change this to play better: there are many more powers than to peek.
  def power
    targets = offered('peek', 'target', 'one_of') || []
    target = targets.find { |seat, slot| seat == @seat && own(slot) == UNKNOWN }
    target && { kind: 'peek', target: target }
  end

  # A card was discarded, and whoever throws an equal one first is rid of it. Here every microsecond counts.
  def slap
    targets = offered('slap', 'target', 'one_of') || []
    target = targets.find { |seat, slot| seat == @seat && worth_throwing?(own(slot)) }
    target && { kind: 'slap', target: target }
  end

  # The card that another seat gets after we slapped one of its cards.
  def give
    slots = offered('give', 'slot', 'one_of')
    slots && { kind: 'give', slot: worst(slots) }
  end

  # Whether our shield stops an attack.
  def block
    offered('block') && { kind: 'block' }
  end

  # The two-deck game: pairs that we may throw away.
  def pairs
    rows = offered('discard_pairs', 'rows', 'any_of')
    rows && { kind: 'discard_pairs', rows: rows.select { |row| pair(row).sum { |card| cost(card) }.positive? } }
  end

  # Par golf: a row that we may take as a stroke.
  def stroke
    rows = offered('stroke', 'row', 'one_of') || []
    row = rows.find { |one| pair(one).all? { |card| known?(card) } && pair(one).sum { |card| cost(card) } <= LOW }
    row && { kind: 'stroke', row: row }
  end

  # A legal answer to any request, also to decisions that did not exist when this bot was written.
  def least_committal
    kind = %w[pass none allow stop discard draw].find { |one| offered(one) }
    offer = kind ? offered(kind) : @legal.first
    offer.to_h { |field, choice| [field, field == 'kind' ? choice : first_of(choice)] }
  end

  # A value that a choice allows: one of some, exactly so many of some, or as many of some as we like.
  def first_of(choice)
    return choice['one_of'].first if choice['one_of']

    choice['pick'] ? choice['of'].first(choice['pick']) : []
  end

  # ---- What cards count.

  def points(card)
    @values[card] || @values[rank(card)]
  end

  def rank(card)
    card.start_with?('X') ? 'X' : card[..-2] # X1 and X2 are jokers; else the last character is the suit
  end

  # What a card in a layout counts. Change this to play better: reckon with the cards that you have not seen yet.
  def cost(card)
    case card
    when nil then 0
    when UNKNOWN then HIDDEN
    else points(card)
    end
  end

  # Of these slots of ours the one that counts most, the first among equals.
  def worst(slots)
    slots.min_by { |slot| [-cost(own(slot)), slot] }
  end

  def known?(card)
    !card.nil? && card != UNKNOWN
  end

  def worth_throwing?(card)
    known?(card) && @pile && rank(card) == rank(@pile) && points(card).positive?
  end

  def own(slot)
    card_at([@seat, slot])
  end

  def pair(row)
    [own(2 * row), own((2 * row) + 1)]
  end

  # ---- What happened. Everything is told once, so we keep it. Other events change nothing for us.

  def remember(event)
    seat, slot, target, card, of, slots = event.values_at('seat', 'slot', 'target', 'card', 'of', 'slots')
    case event['event']
    when 'round'
      @layouts = Array.new(@seats) { Array.new(event['rows'] * @columns, UNKNOWN) }
      discard(nil)
    when 'up_card' then @pile = card
    when 'turned_up', 'looked' then see(seat, slots, event['cards'])
    when 'swapped_own'
      exchange(*slots.map { |one| [seat, one] })
      see(seat, slots, event['cards'])
    when 'arranged'
      slots&.map { |from| card_at([seat, from]) }&.each_with_index { |one, to| put([seat, to], one) }
    when 'drew' then @hand = card
    when 'swapped'
      put([seat, slot], card || UNKNOWN)
      discard(event['replaced'])
    when 'discarded', 'power' then discard(card)
    when 'traded'
      put(target, event['given'])
      @hand = event['taken']
    when 'peeked', 'exposed' then put(target, card) if card
    when 'switched' then exchange(*event['targets'])
    when 'rearranged'
      cards = slots&.map { |from| card_at([of, from]) }
      occupied(of).each_with_index { |place, i| put([of, place], cards ? cards[i] : UNKNOWN) }
    when 'lines_swapped'
      occupied(of).each { |place| put([of, place], UNKNOWN) }
      @layouts[of] = covered(event['layout'], of)
    when 'shuffled' then occupied(of).each { |place| put([of, place], UNKNOWN) }
    when 'added' then put(target, UNKNOWN)
    when 'removed'
      put(target, nil)
      @pile = card
    when 'planted'
      put(target, card)
      discard(event['replaced'])
    when 'kept'
      put([seat, slot], card || UNKNOWN)
      discard(event['discarded'].last || @pile)
    when 'blocked' then @pile = event['shield'] || @pile
    when 'pairs_discarded'
      event['rows'].each { |row| [2 * row, (2 * row) + 1].each { |one| put([seat, one], nil) } }
      @pile = event['cards'].last || @pile
    when 'slapped' then remember_slap(seat, target, card, event['verdict'], event['new_slot'])
    when 'gave'
      put(target, card_at([seat, slot]))
      put([seat, slot], nil)
    end
  end

  def remember_slap(slapper, target, card, verdict, new_slot)
    if verdict == 'right'
      put(target, nil)
      @pile = card
    elsif new_slot && target.first != slapper # another seat's card, which the slapper has to take
      put(target, nil)
      put([slapper, new_slot], card)
    else # it went back, and everybody has seen it; perhaps there is a card from the stock as a penalty
      put(target, card)
      put([slapper, new_slot], UNKNOWN) if new_slot
    end
  end

  # The table as everybody sees it.
  def look(table)
    @layouts = table['layouts'].each_with_index.map { |cards, seat| covered(cards, seat) }
    @pile = table['pile'].first
  end

  # A layout as it is told, with what we remember of the cards that it does not show.
  def covered(cards, seat)
    cards.each_with_index.map { |card, slot| card == UNKNOWN ? card_at([seat, slot]) || UNKNOWN : card }
  end

  def discard(card)
    @pile = card
    @hand = nil
  end

  def see(seat, slots, cards)
    slots.zip(cards) { |slot, card| put([seat, slot], card) if card }
  end

  def exchange(one, other)
    card = card_at(one)
    put(one, card_at(other))
    put(other, card)
  end

  def occupied(seat)
    @layouts[seat].each_index.reject { |slot| @layouts[seat][slot].nil? }
  end

  def card_at((seat, slot))
    @layouts[seat]&.at(slot)
  end

  # Slots beyond the end of a layout are new ones.
  def put((seat, slot), card)
    @layouts << [] while @layouts.size <= seat
    @layouts[seat][slot] = card
  end
end

def say(message)
  puts JSON.generate(message)
end

$stdin.set_encoding('UTF-8')
$stdout.sync = true # an answer that waits in a buffer comes too late
match = nil
$stdin.each_line do |line|
  message = JSON.parse(line)
  case message['type']
  when 'hello' then say({ type: 'ready', name: 'my-bot', version: '1' }) # with slaps: false it is never asked to slap
  when 'match' then match = Match.new(message)
  when 'request' then say({ type: 'answer', id: message['id'], action: match.decide(message) })
    # `end` needs no answer. Another match may follow.
  end
end
