package text_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/text"
)

// wednesday is when the questions of these tests are asked.
func wednesday() time.Time {
	return time.Date(2026, 3, 18, 14, 30, 0, 0, time.FixedZone("", 3600))
}

// said writes phrases as "words: from to", days without their time, open ends as "…".
func said(question string, phrases []text.TimePhrase) string {
	var all []string
	for _, p := range phrases {
		s := question[p.Start:p.End] + ": "
		s += moment(p.From) + " " + moment(p.To)
		if p.Soft {
			s += " soft"
		}
		all = append(all, s)
	}
	return strings.Join(all, "; ")
}

func moment(t time.Time) string {
	switch {
	case t.IsZero():
		return "…"
	case t.Format("15:04") == "00:00":
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04")
}

func TestTimesFindsWhen(t *testing.T) {
	for _, tt := range []struct{ question, want string }{
		// Days.
		{"what did we decide today?", "today: 2026-03-18 2026-03-19"},
		{"Yesterday's bug", "Yesterday's: 2026-03-17 2026-03-18"},
		{"what broke (yesterday) in CI", "yesterday: 2026-03-17 2026-03-18"},
		{"the day before yesterday we", "the day before yesterday: 2026-03-16 2026-03-17"},
		{"seit heute morgen", "seit heute morgen: 2026-03-18 …"},
		{"what changed this morning", "this morning: 2026-03-18 2026-03-18T12:00"},
		{"what failed last night", "last night: 2026-03-17T18:00 2026-03-18T06:00"},
		{"yesterday evening, what was it", "yesterday evening: 2026-03-17T17:00 2026-03-18"},
		// Ago.
		{"what did I do 3 days ago", "3 days ago: 2026-03-15 2026-03-16"},
		{"a day ago", "a day ago: 2026-03-17 2026-03-18"},
		{"the bug of two weeks ago", "two weeks ago: 2026-03-01 2026-03-08"},
		{"a week ago", "a week ago: 2026-03-08 2026-03-15"},
		{"about 2 months ago", "2 months ago: 2026-01-03 2026-02-03"},
		{"a year ago", "a year ago: 2024-09-18 2025-09-19"},
		{"a few days ago", "a few days ago: 2026-03-13 2026-03-18"},
		{"a couple of weeks ago", "a couple of weeks ago: 2026-02-26 2026-03-11"},
		{"2 hours ago", "2 hours ago: 2026-03-18T12:00 2026-03-18T13:00"},
		{"more than a week ago", "more than a week ago: … 2026-03-11T14:30"},
		{"less than 2 days ago", "less than 2 days ago: 2026-03-16 2026-03-18T14:30"},
		// Weeks, months, quarters, years.
		{"last week", "last week: 2026-03-09 2026-03-16"},
		{"this week's decisions", "this week's: 2026-03-16 2026-03-23"},
		{"in the past week", "past week: 2026-03-11 2026-03-18T14:30"},
		{"bugs of last month", "last month: 2026-02-01 2026-03-01"},
		{"last year", "last year: 2025-01-01 2026-01-01"},
		{"this quarter", "this quarter: 2026-01-01 2026-04-01"},
		{"previous quarter", "previous quarter: 2025-10-01 2026-01-01"},
		{"the plan for Q3 2024", "Q3 2024: 2024-07-01 2024-10-01"},
		{"in q4", "in q4: 2025-10-01 2026-01-01"},
		{"the last 3 days", "last 3 days: 2026-03-15 2026-03-18T14:30"},
		{"in the past two weeks", "past two weeks: 2026-03-04 2026-03-18T14:30"},
		{"the past few months", "past few months: 2025-11-18 2026-03-18T14:30"},
		{"last 24 hours", "last 24 hours: 2026-03-17T14:30 2026-03-18T14:30"},
		// Weekdays.
		{"what did we say last Monday", "last Monday: 2026-03-16 2026-03-17"},
		{"on Tuesday we met", "on Tuesday: 2026-03-17 2026-03-18"},
		{"on wednesday", "on wednesday: 2026-03-11 2026-03-12"},
		{"on Thursday", "on Thursday: 2026-03-12 2026-03-13"},
		{"since Monday", "since Monday: 2026-03-16 …"},
		{"last weekend", "last weekend: 2026-03-14 2026-03-16"},
		// Months.
		{"what happened in March", "in March: 2026-03-01 2026-04-01"},
		{"what happened in may?", "in may: 2025-05-01 2025-06-01"},
		{"In May we chose it", "In May: 2025-05-01 2025-06-01"},
		{"the march 2025 release", "march 2025: 2025-03-01 2025-04-01"},
		{"in March 2025", "in March 2025: 2025-03-01 2025-04-01"},
		{"during March of 2025", "during March of 2025: 2025-03-01 2025-04-01"},
		{"last May", "last May: 2025-05-01 2025-06-01"},
		{"last March", "last March: 2025-03-01 2025-04-01"},
		{"early May", "early May: 2025-05-01 2025-05-11"},
		{"mid-February", "mid-February: 2026-02-11 2026-02-21"},
		{"late may 2024", "late may 2024: 2024-05-21 2024-06-01"},
		{"in the beginning of November 2022", "beginning of November 2022: 2022-11-01 2022-11-11"},
		{"at the end of 2024", "end of 2024: 2024-09-01 2025-01-01"},
		{"Was the first half of September 2022 good", "first half of September 2022: 2022-09-01 2022-09-16"},
		{"second half of 2025", "second half of 2025: 2025-07-01 2026-01-01"},
		// Days of months.
		{"what did we do March 5th", "March 5th: 2026-03-05 2026-03-06"},
		{"on December 24", "December 24: 2025-12-24 2025-12-25"},
		{"on 5 May 2023", "5 May 2023: 2023-05-05 2023-05-06"},
		{"on 1 February, 2023", "1 February, 2023: 2023-02-01 2023-02-02"},
		{"on October 9, 2022 we", "October 9, 2022: 2022-10-09 2022-10-10"},
		{"the 5th of May", "5th of May: 2025-05-05 2025-05-06"},
		{"5 may 2023", "5 may 2023: 2023-05-05 2023-05-06"},
		{"mar 5 2024 notes", "mar 5 2024: 2024-03-05 2024-03-06"},
		{"on Sep 30", "Sep 30: 2025-09-30 2025-10-01"},
		{"on 29 February", "29 February: 2024-02-29 2024-03-01"},
		{"meeting 2024-03-05", "2024-03-05: 2024-03-05 2024-03-06"},
		{"the log of 2024-03-05T10:00:00Z.", "2024-03-05T10:00:00Z: 2024-03-05 2024-03-06"},
		{"2024/03/05: what was it", "2024/03/05: 2024-03-05 2024-03-06"},
		{"the 2024-03 report", "2024-03: 2024-03-01 2024-04-01"},
		// Years and seasons.
		{"How many times in 2023?", "in 2023: 2023-01-01 2024-01-01"},
		{"What did Caroline do in 2023 with Mel", "in 2023: 2023-01-01 2024-01-01"},
		{"summer 2024", "summer 2024: 2024-06-01 2024-09-01"},
		{"in the summer of 2024", "in the summer of 2024: 2024-06-01 2024-09-01"},
		{"winter 2024", "winter 2024: 2023-12-01 2024-03-01"},
		{"last summer", "last summer: 2025-06-01 2025-09-01"},
		{"this winter", "this winter: 2025-12-01 2026-03-01"},
		{"during the summer", "during the summer: 2025-06-01 2025-09-01"},
		{"spring 2025", "spring 2025: 2025-03-01 2025-06-01"},
		// Bounds.
		{"since yesterday", "since yesterday: 2026-03-17 …"},
		{"before May", "before May: … 2025-05-01"},
		{"after March 5th", "after March 5th: 2026-03-06 …"},
		{"until 2024-03-05", "until 2024-03-05: … 2024-03-06"},
		{"what did we use before 2023?", "before 2023: … 2023-01-01"},
		{"since last week", "since last week: 2026-03-09 …"},
		{"before the 5th of May 2024", "before the 5th of May 2024: … 2024-05-05"},
		{"between January and March", "between January and March: 2026-01-01 2026-04-01"},
		{"between November and February", "between November and February: 2025-11-01 2026-03-01"},
		{"between March and May 2023", "between March and May 2023: 2023-03-01 2023-06-01"},
		{"between 2024-03-05 and yesterday", "between 2024-03-05 and yesterday: 2024-03-05 2026-03-18"},
		{"from Monday to yesterday", "from Monday to yesterday: 2026-03-16 2026-03-18"},
		{"between 2024 and 2022", "between 2024 and 2022: 2022-01-01 2025-01-01"},
		{"the week before August 3, 2023", "the week before August 3, 2023: 2023-07-27 2023-08-04"},
		{"got two weeks before August 11, 2023?", "two weeks before August 11, 2023: 2023-07-28 2023-08-12"},
		{"on the Sunday before October 25, 2022", "the Sunday before October 25, 2022: 2022-10-23 2022-10-26"},
		{"last weekend before April 10, 2023", "last weekend before April 10, 2023: 2023-04-08 2023-04-11"},
		{"the day after 2024-03-05", "the day after 2024-03-05: 2024-03-05 2024-03-07"},
		// Soft, and several.
		{"what did we recently change", "recently: 2026-03-04 2026-03-18T14:30 soft"},
		{"what was recently said on 3 June, 2023", "3 June, 2023: 2023-06-03 2023-06-04"},
		{"in May 2023 or yesterday", "in May 2023: 2023-05-01 2023-06-01; yesterday: 2026-03-17 2026-03-18"},
		// Other languages.
		{"qué decidimos ayer", "ayer: 2026-03-17 2026-03-18"},
		{"la semana pasada", "semana pasada: 2026-03-09 2026-03-16"},
		{"hace 3 días", "hace 3 días: 2026-03-15 2026-03-16"},
		{"hace una semana", "hace una semana: 2026-03-08 2026-03-15"},
		{"en marzo de 2025", "en marzo de 2025: 2025-03-01 2025-04-01"},
		{"el 5 de mayo de 2023", "5 de mayo de 2023: 2023-05-05 2023-05-06"},
		{"¿qué hicimos el lunes?", "el lunes: 2026-03-16 2026-03-17"},
		{"en los últimos 3 días", "últimos 3 días: 2026-03-15 2026-03-18T14:30"},
		{"este año", "este año: 2026-01-01 2027-01-01"},
		{"desde ayer", "desde ayer: 2026-03-17 …"},
		{"entre enero y marzo", "entre enero y marzo: 2026-01-01 2026-04-01"},
		{"was haben wir gestern beschlossen", "gestern: 2026-03-17 2026-03-18"},
		{"vorgestern", "vorgestern: 2026-03-16 2026-03-17"},
		{"letzte Woche", "letzte Woche: 2026-03-09 2026-03-16"},
		{"vor 3 Tagen", "vor 3 Tagen: 2026-03-15 2026-03-16"},
		{"vor einer Woche", "vor einer Woche: 2026-03-08 2026-03-15"},
		{"vor ein paar Tagen", "vor ein paar Tagen: 2026-03-13 2026-03-18"},
		{"im Mai 2024", "im Mai 2024: 2024-05-01 2024-06-01"},
		{"am 5. März 2025", "5. März 2025: 2025-03-05 2025-03-06"},
		{"am 5.3.2025", "5.3.2025: 2025-03-05 2025-03-06"},
		{"am Montag", "am Montag: 2026-03-16 2026-03-17"},
		{"in den letzten zwei Wochen", "letzten zwei Wochen: 2026-03-04 2026-03-18T14:30"},
		{"im Jahr 2024", "im Jahr 2024: 2024-01-01 2025-01-01"},
		{"seit letztem Monat", "seit letztem Monat: 2026-02-01 …"},
		{"ieri sera", "ieri sera: 2026-03-17T17:00 2026-03-18"},
		{"l'altro ieri", "l'altro ieri: 2026-03-16 2026-03-17"},
		{"la settimana scorsa", "settimana scorsa: 2026-03-09 2026-03-16"},
		{"tre giorni fa", "tre giorni fa: 2026-03-15 2026-03-16"},
		{"l’anno scorso", "l’anno scorso: 2025-01-01 2026-01-01"},
		{"negli ultimi 3 giorni", "ultimi 3 giorni: 2026-03-15 2026-03-18T14:30"},
		{"ontem à noite", "ontem à noite: 2026-03-17T18:00 2026-03-18T06:00"},
		{"há 3 dias", "há 3 dias: 2026-03-15 2026-03-16"},
		{"3 dias atrás", "3 dias atrás: 2026-03-15 2026-03-16"},
		{"em março de 2025", "em março de 2025: 2025-03-01 2025-04-01"},
		{"no mês passado", "mês passado: 2026-02-01 2026-03-01"},
	} {
		t.Run(tt.question, func(t *testing.T) {
			if got := said(tt.question, text.Times(tt.question, wednesday())); got != tt.want {
				t.Errorf("Times(%q)\n got %s\nwant %s", tt.question, got, tt.want)
			}
		})
	}
}

func TestTimesSeesNoTimeWhereThereIsNone(t *testing.T) {
	for _, question := range []string{
		"", " ", "?", "'", "the", "in", "before", "between", "5", "2023",
		// Words that are also times.
		"may I change the port", "it may 5 times fail", "users may be in order", "this may break", "what may 2 workers do",
		"march the list backwards", "how to march 5 steps", "the sun sets", "on Sun hardware", "mon process", "mar 5", "dec 5 to hex",
		"the second argument", "a second ago", "wait a second", "last line of the file", "last minute changes", "the last second",
		"the last day of the trial", "the last hour", "in order to", "spring boot config", "in spring we trust", "fall back to fts",
		"August Wilson", "April joined the team", "since April joined the team", "June's review", "domingo", "segunda parte", "Marco Polo em Marco",
		// Numbers that are no times.
		"version 2023.1", "in version 2023.1", "in 2023.1", "in 2048 bytes", "in 2000 rows", "port 2024", "before 2000 requests", "RFC 2024", "2024-13-05", "2024-02-30",
		"31 June", "on 45 May", "CVE-2024-03-05", "1.2.3", "192.168.2024", "10-20", "in 1600", "in 2090", "3 days", "for two weeks", "in 3 days", "within a week", "every week",
		"10:30", "3/5/2024", "99999999999999999999 days ago", "0 days ago", "5th attempt", "q5 2024", "Q3",
		// Code.
		"last_week", "lastWeek", "var/log/yesterday.log", "func today()", "`yesterday`", "since:yesterday", "today=1", "--since=2024-03-05", "#today", "@today", "x-today", "today_is", "backup-2024-03-05.tar", "\"last week\"",
		// Events: when they were is not looked up.
		"what did we fix before the release?", "after the Postgres migration",
		"run before commit", "before the commit", "after the response is sent", "before deploy", "after deployments", "hooks that run after release",
		"before the release notes", "after the migration script", "called after the loop", "before the first request", "since the beginning", "around the corner",
		"before release", "after migration", "after we migrated", "before you and the release", "after the very long and winding release",
		// The future has no memories.
		"tomorrow", "tonight", "next week", "in 2027", "on 2026-12-01", "this weekend", "after 2027-01-01",
		// Times that are no question of time.
		"as of today what is the port", "least recently used cache", "the most recently used list", "until today",
		"the week", "two weeks",
		// What is full of times asks for none.
		"2024-03-01 a 2024-03-02 b 2024-03-03 c 2024-03-04 d 2024-03-05 e",
	} {
		t.Run(question, func(t *testing.T) {
			if got := text.Times(question, wednesday()); len(got) > 0 {
				t.Errorf("Times(%q): got %s, want nothing", question, said(question, got))
			}
		})
	}
}

func TestTimesReadsOnlyTheFirstWords(t *testing.T) {
	long := strings.Repeat("word ", 1000)
	if got := text.Times("yesterday "+long, wednesday()); len(got) != 1 {
		t.Errorf("at the beginning of a long text: got %v, want yesterday", got)
	}
	if got := text.Times(long+"yesterday", wednesday()); len(got) != 0 {
		t.Errorf("behind a thousand words: got %v, want nothing", got)
	}
}

func TestTimesTellsWhatWasSaidFromWhatWasGuessed(t *testing.T) {
	for question, want := range map[string]bool{
		"in May 2023": true, "2024-03-05": true, "since 2024": true, "before March 5, 2025": true, "between March and May 2023": true, "Q3 2024": true,
		"the week before 3 June 2023": true, "in May": false, "last week": false, "since yesterday": false, "March 5th": false, "between January and March": false,
	} {
		if got := text.Times(question, wednesday()); len(got) != 1 || got[0].Exact != want {
			t.Errorf("Times(%q): got %+v, want exact %v", question, got, want)
		}
	}
}

func TestTimesKeepsTheZoneOfNow(t *testing.T) {
	now := wednesday().UTC().In(time.FixedZone("", -11*3600)) // still the 18th, at 02:30
	got := text.Times("yesterday", now)
	if want := time.Date(2026, 3, 17, 0, 0, 0, 0, now.Location()); len(got) != 1 || !got[0].From.Equal(want) {
		t.Errorf("yesterday at %v: got %+v, want from %v", now, got, want)
	}
}

func FuzzTimes(f *testing.F) {
	for _, s := range []string{"what did we do last week", "between March 5th and 2024-05-06", "two weeks before the 3rd of May, 2023", "am 5. März",
		"after Anna's\u2019s wedding", "since the \xff release", "a couple of a few days ago", "l'altro ieri", "2024-03-05T", "0001-01-01", "\u2019s", "day before"} {
		f.Add(s, int64(1_773_000_000))
	}
	f.Fuzz(func(t *testing.T, question string, unix int64) {
		now := time.Unix(unix%4_000_000_000, 0).UTC()
		last := 0
		for _, p := range text.Times(question, now) {
			if p.Start < last || p.End <= p.Start || p.End > len(question) {
				t.Fatalf("Times(%q): bytes %d to %d after %d of %d", question, p.Start, p.End, last, len(question))
			}
			last = p.End
			if utf8.ValidString(question) && !utf8.ValidString(question[p.Start:p.End]) {
				t.Errorf("Times(%q): %q cuts a character", question, question[p.Start:p.End])
			}
			bounds := btoi(!p.From.IsZero()) + btoi(!p.To.IsZero())
			if bounds == 0 {
				t.Errorf("Times(%q): %+v has %d bounds", question, p, bounds)
			}
			if bounds == 2 && !p.From.Before(p.To) {
				t.Errorf("Times(%q): %v is not before %v", question, p.From, p.To)
			}
			if !p.From.Before(now) {
				t.Errorf("Times(%q) at %v: %v has not come yet", question, now, p.From)
			}
		}
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func BenchmarkTimes(b *testing.B) {
	now := wednesday()
	for _, bb := range []struct{ name, question string }{
		{"a question without a time", "how does the parser of the config file handle duplicate keys"},
		{"a question with a time", "what did we decide last week about the retry policy of uploads"},
		{"a long text", strings.Repeat("what did we decide in the first half of the year ", 10_000)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				text.Times(bb.question, now)
			}
		})
	}
}
