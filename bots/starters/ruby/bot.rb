# frozen_string_literal: true

# A bot that plays every game of golfref legally. It keeps low cards and throws high ones away, judging by the cards
# that lie open. Four comments that begin with "Next:" say what to add.
#
# The referee writes one JSON message a line to standard input, and reads the answers from standard output. Write
# nothing else there: use warn to print what helps you to find mistakes.

require 'json'

LOW = 4        # a card of at most so many points is taken from the pile
HIDDEN = 5     # the points of a card that lies face down
PATIENCE = 4   # the first own turn of a round in which the bot may end it

# One match. The messages stay as they come: hashes with strings as keys.
class Match
  def initialize(match)
    @seat, @values = match.values_at('seat', 'values')
    @table = { 'layouts' => [], 'pile' => [] } # the table as everybody sees it
    @drawn = nil                               # the card that we drew last
    @turns = 0                                 # our turns in this round
  end

  # The action for a request. `legal` lists all legal actions; the bot answers one of them.
  def decide(request)
    request['events'].each { |event| read(event) }
    @table = request['table'] || @table
    @offers = request['legal'].reverse.to_h { |offer| [offer['kind'], offer] } # the first of each kind
    choose(request['decision']) || decline(request['legal'])
  end

  private

  # Next: remember your cards in `looked`, `peeked`, `swapped`: write them over each `?` of your layout.
  def read(event)
    @turns = 0 if event['event'] == 'round'
    @drawn = event['card'] if event['event'] == 'drew' && event['seat'] == @seat
  end

  def choose(decision)
    case decision
    when 'turn' then turn
    when 'place' then place
    when 'flip' then flip
    end
  end

  # The start of our turn: end the round or draw a card.
  def turn
    @turns += 1
    # Next: end a round only with a good lead. `knock_penalty` in the options of the match is the price of a wrong end.
    if @turns >= PATIENCE && @table['layouts'].none? { |layout| total(layout) < total(own) }
      ending = %w[knock end].find { |kind| @offers[kind] }
      return { kind: ending } if ending
    end
    return unless @offers['draw']

    sources = @offers['draw']['from']['one_of']
    top = @table['pile'].empty? ? LOW + 1 : cost(@table['pile'].first)
    helps = top <= LOW && own.any? { |card| cost(card) > top }
    { kind: 'draw', from: helps && sources.include?('pile') ? 'pile' : sources.first }
  end

  # Where the drawn card goes: to the slot of our worst card, or to the pile.
  def place
    return unless @offers['swap']

    # Next: look for pairs. In many games equal cards in a line count nothing: see `cancel` in the options.
    slot = worst(@offers['swap']['slot']['one_of'])
    return { kind: 'discard' } if @offers['discard'] && cost(@drawn) >= cost(own[slot])

    { kind: 'swap', slot: slot }
  end

  # Which of our cards is turned face up: any, but not the last one, which would end the round.
  def flip
    slots = @offers['flip']['slot']['one_of']
    return { kind: 'none' } if slots.one? && @offers['none']

    { kind: 'flip', slot: slots.first }
  end

  # Next: powers, pairs, strokes and slaps. Each decision wants a method in `choose`; slaps also want `slaps: true`.
  def decline(legal)
    kind = %w[pass none allow stop discard draw].find { |declining| @offers[declining] }
    offer = kind ? @offers[kind] : legal.first
    offer.to_h { |field, choice| [field, field == 'kind' ? choice : first_of(choice)] }
  end

  # The first value that a choice allows: one of some, exactly so many of some, or as many of some as we like.
  def first_of(choice)
    return choice['one_of'].first if choice['one_of']

    choice['pick'] ? choice['of'].first(choice['pick']) : []
  end

  # Our cards by slot: a card such as "10H", "?" for one that lies face down, nil for an empty slot.
  def own
    @table['layouts'][@seat] || []
  end

  # Of these slots of ours the one whose card counts most; of equal ones another each turn.
  def worst(slots)
    most = slots.map { |slot| cost(own[slot]) }.max
    equal = slots.select { |slot| cost(own[slot]) == most }
    equal[@turns % equal.size]
  end

  def total(layout)
    layout.sum { |card| cost(card) }
  end

  # The points of a card. `values` holds them by rank, or by card where one differs from its rank.
  def cost(card)
    return 0 if card.nil?
    return HIDDEN if card == '?'

    @values[card] || @values[card.start_with?('X') ? 'X' : card[0...-1]] # X1 and X2 are jokers; else the suit is last
  end
end

def say(message)
  puts JSON.generate(message)
end

$stdin.set_encoding(Encoding::UTF_8)
$stdout.sync = true # an answer that waits in a buffer comes too late

match = nil
$stdin.each_line do |line|
  message = JSON.parse(line)
  case message['type']
  when 'hello' then say({ type: 'ready', name: 'my-bot', slaps: false })
  when 'match' then match = Match.new(message)
  when 'request' then say({ type: 'answer', id: message['id'], action: match.decide(message) })
  end # `end` needs no answer. Another match may follow.
end
