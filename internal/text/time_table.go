package text

import "time"

// tied restricts a rule to follow a preposition.
func tied(r *timeRule) *timeRule {
	r.tied, r.last = true, true
	return r
}

// sure makes a rule accept month names up to a doubt in any case.
func sure(d doubt, r *timeRule) *timeRule {
	r.sure = d
	return r
}

// last makes a rule reject a phrase that continues.
func last(r *timeRule) *timeRule {
	r.last = true
	return r
}

func dayRules() []*timeRule {
	day := func(n int) spanOf {
		return func(c calendar, _ timeMatch) (timeSpan, bool) { return days(c.today.AddDate(0, 0, n), 1), true }
	}
	part := func(n int, p dayPart) spanOf {
		return func(c calendar, m timeMatch) (timeSpan, bool) {
			return c.part(c.today.AddDate(0, 0, n), max(p, m.part())), true
		}
	}
	return []*timeRule{
		ruleOf("today|hoy|heute|oggi|hoje", day(0)),
		ruleOf("yesterday|ayer|gestern|ieri|ontem", day(-1)),
		ruleOf("the day before yesterday", day(-2)),
		ruleOf("day before yesterday", day(-2)),
		ruleOf("anteayer|antier|vorgestern|avantieri|anteontem", day(-2)),
		ruleOf("antes de ayer", day(-2)),
		ruleOf("l'altro ieri", day(-2)),
		ruleOf("tonight|stasera|stanotte", part(0, night)),
		ruleOf("this|heute PART", part(0, 0)),
		ruleOf("heute morgen|früh", part(0, morning)),
		ruleOf("stamattina|stamani|stamane", part(0, morning)),
		ruleOf("esta mañana|manhã", part(0, morning)),
		ruleOf("yesterday|gestern|ieri PART", part(-1, 0)),
		ruleOf("gestern morgen|früh", part(-1, morning)),
		ruleOf("ontem à|a noite", part(-1, night)),
		ruleOf("last night|evening", part(-1, night)),
		ruleOf("letzte|vergangene nacht", part(-1, night)),
		ruleOf("anoche", part(-1, night)),
		ruleOf("DATE", func(_ calendar, m timeMatch) (timeSpan, bool) { return m.date, true }),
	}
}

// weekRules are days of the week.
func weekRules() []*timeRule {
	weekday := func(far bool) spanOf {
		return func(c calendar, m timeMatch) (timeSpan, bool) {
			s := c.weekday(m.weekday())
			s.far, s.length = far, func(day time.Time, sign int) time.Time {
				if sign < 0 {
					return day.AddDate(0, 0, -(int(day.Weekday()-m.weekday())+6)%7-1)
				}
				return day.AddDate(0, 0, (int(m.weekday()-day.Weekday())+7)%7+1)
			}
			return s, true
		}
	}
	weekend := func(n int, far bool) spanOf {
		return func(c calendar, _ timeMatch) (timeSpan, bool) {
			s := days(monday(c.today).AddDate(0, 0, 5+7*n), 2)
			s.far, s.length = far, func(day time.Time, sign int) time.Time {
				if sign < 0 {
					return monday(day).AddDate(0, 0, -2)
				}
				return monday(day).AddDate(0, 0, 7)
			}
			return s, true
		}
	}
	return []*timeRule{
		ruleOf("last|on|previous WEEKDAY", weekday(false)),
		ruleOf("am|el|letzten|vergangenen|vorigen WEEKDAY", weekday(false)),
		ruleOf("el WEEKDAY pasado", weekday(false)),
		ruleOf("WEEKDAY pasado|scorso|scorsa", weekday(false)),
		tied(ruleOf("WEEKDAY", weekday(false))),
		ruleOf("the WEEKDAY", weekday(true)),
		ruleOf("last|past weekend", weekend(-1, false)),
		ruleOf("this weekend", weekend(0, false)),
		ruleOf("the weekend", weekend(-1, true)),
		ruleOf("letztes|vergangenes wochenende", weekend(-1, false)),
	}
}

func agoRules() []*timeRule {
	ago := func(c calendar, m timeMatch) (timeSpan, bool) { return c.ago(m.n, m.vague, m.unit()), true }
	before := func(c calendar, m timeMatch) (timeSpan, bool) { return timeSpan{to: back(c.now, m.n, m.unit())}, true }
	lately := func(c calendar, m timeMatch) (timeSpan, bool) {
		from := back(c.now, m.n+btoi(m.vague), m.unit())
		if m.unit() >= unitDay {
			from = c.midnight(from)
		}
		return timeSpan{from: from, to: c.now}, true
	}
	few := func(c calendar, m timeMatch) (timeSpan, bool) { // the past few days
		m.n, m.vague = 3, true
		return lately(c, m)
	}
	// Only a distance: "two weeks" before something.
	far := func(c calendar, m timeMatch) (timeSpan, bool) {
		n := max(m.n, 1)
		return timeSpan{far: true, length: func(day time.Time, sign int) time.Time { return back(day, -sign*n, m.unit()) }}, true
	}
	recently := func(c calendar, _ timeMatch) (timeSpan, bool) {
		return timeSpan{from: c.today.AddDate(0, 0, -recentDays), to: c.now, soft: true}, true
	}
	return []*timeRule{
		ruleOf("N UNIT ago", ago),
		ruleOf("N UNIT fa|atrás|atras", ago),
		ruleOf("hace|há|vor N UNIT", ago),
		ruleOf("more than N UNIT ago", before),
		ruleOf("over N UNIT ago", before),
		ruleOf("less than N UNIT ago", lately),
		ruleOf("last|past|previous N UNIT", lately),
		ruleOf("últimos|últimas|ultimos|ultimas|ultimi|ultime|letzten|vergangenen N UNIT", lately),
		ruleOf("letzten|vergangenen paar UNIT", few),
		ruleOf("vor ein paar UNIT", func(c calendar, m timeMatch) (timeSpan, bool) { return c.ago(3, true, m.unit()), true }),
		ruleOf("N UNIT", far),
		ruleOf("the UNIT", far),
		ruleOf("recently|lately", recently),
		ruleOf("recientemente|últimamente|kürzlich|neulich|recentemente|ultimamente", recently),
	}
}

// recentDays is how many days "recently" covers.
const recentDays = 14

// unitRules are whole weeks, months, quarters and years. Days, hours and minutes are not included:
// the last day may be the last of many, and the last minute is an idiom.
func unitRules() []*timeRule {
	previous := func(c calendar, m timeMatch) (timeSpan, bool) { return c.previous(m.unit()) }
	this := func(c calendar, m timeMatch) (timeSpan, bool) { return c.whole(c.now, m.unit()) }
	past := func(c calendar, m timeMatch) (timeSpan, bool) {
		return timeSpan{from: c.midnight(back(c.now, 1, m.unit())), to: c.now}, m.unit() >= unitWeek
	}
	quarter := func(c calendar, m timeMatch) (timeSpan, bool) {
		first := 3*m.quarter() - 2
		if m.year != 0 {
			return c.months(m.year, first, 3), true
		}
		s := c.months(c.now.Year()-btoi(first > c.now.Month()), first, 3)
		s.yearless = true
		return s, true
	}
	year := func(c calendar, m timeMatch) (timeSpan, bool) { return c.months(m.year, time.January, 12), true }
	return []*timeRule{
		ruleOf("last|previous UNIT", previous),
		ruleOf("UNIT pasada|pasado|passada|passado|scorsa|scorso", previous),
		ruleOf("l'anno scorso", func(c calendar, _ timeMatch) (timeSpan, bool) { return c.previous(unitYear) }),
		ruleOf("última|último|ultima|ultimo|scorsa|scorso UNIT", previous),
		ruleOf("letzte|letzten|letztes|letztem|letzter|vergangene|vergangenen|vergangenes|vorige|vorigen|voriges UNIT", previous),
		ruleOf("past UNIT", past),
		ruleOf("this|current UNIT", this),
		ruleOf("esta|este|diese|diesen|dieses|diesem|dieser|questa|questo UNIT", this),
		ruleOf("quest'anno", func(c calendar, _ timeMatch) (timeSpan, bool) { return c.whole(c.now, unitYear) }),
		ruleOf("QUARTER of? YEAR", quarter),
		ruleOf("in|during|last QUARTER", quarter),
		tied(ruleOf("QUARTER", quarter)),
		last(ruleOf("in|during|of|from|en|nel|em YEAR", year)),
		last(ruleOf("im jahr|jahre YEAR", year)),
		tied(ruleOf("YEAR", year)),
	}
}

func monthRules() []*timeRule {
	month := func(c calendar, m timeMatch) (timeSpan, bool) { return c.month(m.year, m.month()), true }
	lastMonth := func(c calendar, m timeMatch) (timeSpan, bool) {
		return c.months(c.now.Year()-btoi(m.month() >= c.now.Month()), m.month(), 1), true
	}
	day := func(c calendar, m timeMatch) (timeSpan, bool) { return c.day(m.year, m.month(), m.day) }
	season := func(c calendar, m timeMatch) (timeSpan, bool) { return c.season(m.year, m.season()), true }
	return []*timeRule{
		sure(verb, ruleOf("in|during|en|im|em|nel MONTH", month)),
		ruleOf("last MONTH", lastMonth),
		sure(short, ruleOf("MONTH of|de|del? YEAR", month)),
		sure(short, ruleOf("in|during|en|im|em|nel MONTH of|de|del? YEAR", month)),
		tied(ruleOf("MONTH", month)),
		ruleOf("MONTH DAY", day),
		sure(short, ruleOf("MONTH the? DAY YEAR", day)),
		ruleOf("DAY MONTH", day),
		sure(verb, ruleOf("DAY of|de MONTH", day)),
		sure(short, ruleOf("DAY of|de? MONTH of|de|del? YEAR", day)),
		ruleOf("SEASON of|de? YEAR", season),
		ruleOf("in|during the SEASON of? YEAR", season),
		last(ruleOf("in|during the SEASON", season)),
		last(ruleOf("last|this|letzten|diesen SEASON", season)),
	}
}

func partRules() []*timeRule {
	whole := func(c calendar, m timeMatch) timeSpan {
		if m.month() == 0 {
			return c.months(m.year, time.January, 12)
		}
		return c.month(m.year, m.month())
	}
	third := func(part int) spanOf {
		return func(c calendar, m timeMatch) (timeSpan, bool) { return c.third(whole(c, m), part), true }
	}
	half := func(part int) spanOf {
		return func(c calendar, m timeMatch) (timeSpan, bool) { return c.half(whole(c, m), part), true }
	}
	var rules []*timeRule
	for i, words := range []string{"early|anfang", "mid|mitte", "late|ende"} {
		rules = append(rules, sure(verb, ruleOf(words+" MONTH of? YEAR?", third(i))), last(ruleOf(words+" YEAR", third(i))))
	}
	for i, words := range []string{"beginning|start", "middle", "end"} {
		rules = append(rules, sure(verb, ruleOf(words+" of MONTH of? YEAR?", third(i))), last(ruleOf(words+" of YEAR", third(i))))
	}
	for i, word := range []string{"first", "second"} {
		rules = append(rules, sure(verb, ruleOf(word+" half of MONTH of? YEAR?", half(i))), last(ruleOf(word+" half of YEAR", half(i))))
	}
	return rules
}

// noTimeRules are phrases that contain a time but mean something else.
func noTimeRules() []*timeRule {
	none := func(calendar, timeMatch) (timeSpan, bool) { return timeSpan{none: true}, true }
	return []*timeRule{
		ruleOf("as of today|yesterday|now", none),
		ruleOf("until|till today|tonight", none),
		ruleOf("least|most|more recently|lately", none),
	}
}
