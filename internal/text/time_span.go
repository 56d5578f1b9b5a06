package text

import "time"

type timeSpan struct {
	from, to time.Time // zero: no bound
	soft     bool
	none     bool // looks like a time but is not one
	far      bool // only a distance, not a time by itself
	exact    bool // the year was given
	yearless bool // the year is a guess
	// length returns the day at this distance before (-1) or after (+1) a day, for phrases that
	// are a distance: a week, two days. nil for the others.
	length func(day time.Time, sign int) time.Time
}

// calendar computes times relative to one now, in its time zone.
type calendar struct {
	now   time.Time
	today time.Time // midnight
}

// date returns midnight of a day; days and months out of range carry over.
func (c calendar) date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, c.now.Location())
}

func days(from time.Time, n int) timeSpan { return timeSpan{from: from, to: from.AddDate(0, 0, n)} }

// hours returns a part of a day, which may end on the next.
func hours(day time.Time, from, to int) timeSpan {
	at := func(h int) time.Time {
		return time.Date(day.Year(), day.Month(), day.Day(), h, 0, 0, 0, day.Location())
	}
	return timeSpan{from: at(from), to: at(to)}
}

// part returns a part of the day; a night ends in the next morning.
func (c calendar) part(day time.Time, p dayPart) timeSpan {
	switch p {
	case morning:
		return hours(day, 0, 12)
	case afternoon:
		return hours(day, 12, 18)
	case evening:
		return hours(day, 17, 24)
	}
	return hours(day, 18, 30)
}

func monday(day time.Time) time.Time {
	return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
}

type step struct{ minutes, days, months int }

// from returns the time n steps after t.
func (s step) from(t time.Time, n int) time.Time {
	if s.minutes > 0 {
		return t.Add(time.Duration(n*s.minutes) * time.Minute)
	}
	return t.AddDate(0, n*s.months, n*s.days)
}

// steps returns the length of a unit, and about half of it.
func (u timeUnit) steps() (whole, half step) {
	switch u {
	case unitMinute:
		return step{minutes: 1}, step{minutes: 5}
	case unitHour:
		return step{minutes: 60}, step{minutes: 30}
	case unitDay:
		return step{days: 1}, step{days: 1}
	case unitWeek:
		return step{days: 7}, step{days: 3}
	case unitMonth:
		return step{months: 1}, step{days: 15}
	case unitQuarter:
		return step{months: 3}, step{days: 45}
	}
	return step{months: 12}, step{months: 6}
}

func back(t time.Time, n int, u timeUnit) time.Time {
	whole, _ := u.steps()
	return whole.from(t, -n)
}

// ago returns "n units ago". People do not count exactly: from weeks on it includes half a unit
// more or less, and for "a few" a whole one.
func (c calendar) ago(n int, vague bool, u timeUnit) timeSpan {
	if u == unitDay && !vague {
		return days(c.today.AddDate(0, 0, -n), 1)
	}
	_, half := u.steps()
	from, to := back(c.now, n, u), back(c.now, n, u)
	for range 1 + btoi(vague) {
		from, to = half.from(from, -1), half.from(to, +1)
	}
	if u <= unitHour {
		return timeSpan{from: from, to: to}
	}
	return timeSpan{from: c.midnight(from), to: c.midnight(to).AddDate(0, 0, 1)}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (c calendar) midnight(t time.Time) time.Time { return c.date(t.Year(), t.Month(), t.Day()) }

// whole returns the calendar unit that contains t; ok is false for units shorter than a week.
func (c calendar) whole(t time.Time, u timeUnit) (timeSpan, bool) {
	switch u {
	case unitWeek:
		return days(monday(c.midnight(t)), 7), true
	case unitMonth:
		return c.months(t.Year(), t.Month(), 1), true
	case unitQuarter:
		return c.months(t.Year(), (t.Month()-1)/3*3+1, 3), true
	case unitYear:
		return c.months(t.Year(), time.January, 12), true
	}
	return timeSpan{}, false
}

// previous returns the unit before the current one.
func (c calendar) previous(u timeUnit) (timeSpan, bool) {
	this, ok := c.whole(c.now, u)
	if !ok {
		return this, false
	}
	return c.whole(this.from.AddDate(0, 0, -1), u)
}

func (c calendar) months(year int, month time.Month, n int) timeSpan {
	return timeSpan{from: c.date(year, month, 1), to: c.date(year, month+time.Month(n), 1)}
}

// month returns a month; year 0 is the latest that has begun.
func (c calendar) month(year int, m time.Month) timeSpan {
	if year != 0 {
		return c.months(year, m, 1)
	}
	s := c.months(c.now.Year()-btoi(m > c.now.Month()), m, 1)
	s.yearless = true
	return s
}

// day returns a day of a month; year 0 is the latest that has begun. ok is false for a day that the
// month does not have.
func (c calendar) day(year int, m time.Month, d int) (timeSpan, bool) {
	yearless := year == 0
	if yearless {
		year = c.now.Year() - btoi(c.date(c.now.Year(), m, d).After(c.now))
		// February 29 is not in every year.
		for back := 0; back < 8 && c.date(year, m, d).Month() != m; back++ {
			year--
		}
	}
	s := days(c.date(year, m, d), 1)
	s.yearless = yearless
	return s, s.from.Month() == m
}

// weekday returns the latest such day before today.
func (c calendar) weekday(d time.Weekday) timeSpan {
	return days(c.today.AddDate(0, 0, -(int(c.today.Weekday()-d)+6)%7-1), 1)
}

// season returns a northern season; year 0 is the latest that has begun. A winter has the year of its January.
func (c calendar) season(year int, s season) timeSpan {
	first := func(year int) time.Time { return c.date(year, time.Month(3*int(s)), 1) } // spring is 1
	if s == winter {
		first = func(year int) time.Time { return c.date(year-1, time.December, 1) }
	}
	if year == 0 {
		year = c.now.Year() + btoi(s == winter)
		if first(year).After(c.now) {
			year--
		}
	}
	from := first(year)
	return timeSpan{from: from, to: from.AddDate(0, 3, 0)}
}

// third returns the early, middle or late part (0 to 2) of a month or a longer time.
func (c calendar) third(s timeSpan, part int) timeSpan {
	cut := func(i int) time.Time {
		if n := s.months(); n >= 3 {
			return s.from.AddDate(0, n/3*i, 0)
		}
		return s.from.AddDate(0, 0, 10*i)
	}
	out := timeSpan{from: cut(part), to: s.to, yearless: s.yearless}
	if part < 2 {
		out.to = cut(part + 1)
	}
	return out
}

// half returns the first or second half (0 or 1) of a month or a longer time.
func (c calendar) half(s timeSpan, part int) timeSpan {
	middle := s.from.AddDate(0, 0, 15)
	if n := s.months(); n > 1 {
		middle = s.from.AddDate(0, n/2, n%2*15)
	}
	if part == 0 {
		return timeSpan{from: s.from, to: middle, yearless: s.yearless}
	}
	return timeSpan{from: middle, to: s.to, yearless: s.yearless}
}

func (s timeSpan) months() int {
	return 12*(s.to.Year()-s.from.Year()) + int(s.to.Month()-s.from.Month())
}

// between returns the time from the beginning of a to the end of b. A guessed year is chosen so
// that a is before b; reversed times are swapped.
func (c calendar) between(a, b timeSpan) timeSpan {
	if a.yearless {
		if !b.yearless {
			shift := b.from.Year() - a.from.Year()
			a.from = a.from.AddDate(shift, 0, 0)
		}
		if a.from.After(b.from) {
			a.from = a.from.AddDate(-1, 0, 0)
		}
	}
	if b.yearless && !a.yearless {
		shift := a.from.Year() - b.from.Year()
		b.from, b.to = b.from.AddDate(shift, 0, 0), b.to.AddDate(shift, 0, 0)
		if b.from.Before(a.from) {
			b.from, b.to = b.from.AddDate(1, 0, 0), b.to.AddDate(1, 0, 0)
		}
	}
	if a.from.After(b.from) {
		a, b = b, a
	}
	return timeSpan{from: a.from, to: b.to, exact: a.exact || b.exact}
}
