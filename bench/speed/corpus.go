package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// The corpus is made by number alone, so that every store, index and run has the same.
const (
	projects  = 20
	inSession = 100 // memories of a session
)

var (
	components = strings.Fields("auth billing scheduler indexer gateway parser renderer tokenizer migrator notifier uploader webhook cache ledger router planner sandbox exporter importer watcher replicator dashboard installer linter profiler resolver broker crawler mailer queue")
	nouns      = strings.Fields("token refresh session cookie timeout deadlock race retry backoff pagination cursor checksum encoding timezone locale migration index trigger constraint pool connection buffer goroutine mutex channel handler middleware header payload schema snapshot manifest chunk digest watermark tombstone lease heartbeat quota throttle redirect certificate proxy fixture mock assertion benchmark regression flag config secret rotation permission role scope tenant shard replica leader follower offset partition batch stream window latency throughput allocation leak panic overflow underflow precision rounding currency invoice refund coupon cart checkout address avatar thumbnail upload attachment template layout sidebar tooltip modal keyboard shortcut clipboard theme contrast font")
	adjectives = strings.Fields("stale duplicate missing nil concurrent recursive quadratic flaky silent malformed truncated unbounded idempotent optimistic pessimistic eager lazy partial nested orphaned cyclic ambiguous")
	verbs      = strings.Fields("fixed replaced removed introduced renamed split merged cached batched deferred validated normalised escaped parallelised serialised throttled rewrote extracted inlined upgraded pinned reverted documented instrumented deprecated isolated")
	types      = strings.Fields("bugfix decision architecture pattern config discovery learning preference")
)

// A document is one memory of the corpus, of about 650 bytes.
type document struct {
	number         int // from 0
	project        string
	session        string
	typ            string
	title, content string
	subject        [3]string // what a question can ask for: two nouns, the second less often in the texts, and a made-up name
}

// documentOf makes the document with a number.
func documentOf(number int) document {
	r := rand.New(rand.NewPCG(7, uint64(number)))
	d := document{number: number, project: projectOf(number), typ: pick(r, types)}
	d.session = fmt.Sprintf("%s-%d", d.project, number/projects/inSession)
	component, adjective, verb := common(r, components), common(r, adjectives), pick(r, verbs)
	d.subject = [3]string{common(r, nouns), common(r, nouns), coin(r)}
	d.title = strings.Join([]string{verb, adjective, d.subject[0], "in", component, d.subject[2]}, " ")
	var related []string
	for i := range 58 {
		if i%11 == 10 {
			related = append(related, coin(r))
		} else {
			related = append(related, common(r, nouns))
		}
	}
	d.content = fmt.Sprintf("**What**: %s the %s %s of the %s so that it no longer breaks the %s (module %s).\n**Where**: internal/%s/%s_%s.go\n**Related**: %s",
		verb, adjective, d.subject[0], component, d.subject[1], d.subject[2], component, d.subject[2], d.subject[0], strings.Join(related, " "))
	return d
}

func projectOf(number int) string { return fmt.Sprintf("proj-%02d", number%projects) }

func pick(r *rand.Rand, words []string) string { return words[r.IntN(len(words))] }

// common prefers the words at the front, as texts do: a quarter of them has half of the draws.
func common(r *rand.Rand, words []string) string {
	f := r.Float64()
	return words[int(f*f*float64(len(words)))]
}

// coin makes a name of two or three syllables: identifiers make the vocabulary of memories large.
func coin(r *rand.Rand) string {
	var b strings.Builder
	for range 2 + r.IntN(2) {
		b.WriteByte("bcdfghjklmnprstvz"[r.IntN(17)])
		b.WriteByte("aeiou"[r.IntN(5)])
		if r.IntN(3) == 0 {
			b.WriteByte("bcdfghjklmnprstvz"[r.IntN(17)])
		}
	}
	return b.String()
}

// asked draws the document that question number i asks for among size.
func asked(i, size int) document {
	return documentOf(rand.New(rand.NewPCG(99, uint64(i))).IntN(size))
}

// inARow is how many questions in a row are asked of one project.
const inARow = 20

// askedInARow is asked in the project of the questions before it, as an agent asks.
func askedInARow(i, size int) document {
	d := asked(i, size)
	return documentOf(d.number - d.number%projects + i/inARow%projects)
}

// question words question number i, of 10 to 15 words.
func question(i, size int) string { return asked(i, size).question(i) }

// question words question number i, to which the document is an answer.
func (d document) question(i int) string {
	shapes := []string{
		"how did we deal with the %s problem that affected %s in %s?",
		"what was the reason we changed the %s and the %s of the %s module?",
		"do you remember why %s kept breaking %s when we worked on %s?",
		"which file should I check if the %s or the %s fails in %s?",
	}
	return fmt.Sprintf(shapes[i%len(shapes)], d.subject[0], d.subject[1], d.subject[2])
}

// mistyped misspells one word of a text, the longest (the first of them): question number i decides whether two letters
// change places, one is left out, doubled or replaced. The first letter stays. A text without a word of four letters stays too.
func mistyped(i int, text string) string {
	words := strings.Fields(text)
	at := -1
	for k, w := range words {
		if letters(w) >= 4 && (at < 0 || letters(w) > letters(words[at])) {
			at = k
		}
	}
	if at < 0 {
		return text
	}
	w := []byte(words[at])
	r := rand.New(rand.NewPCG(5, uint64(i)))
	k := 1 + r.IntN(letters(words[at])-2)
	switch i % 4 {
	case 0:
		w[k], w[k+1] = w[k+1], w[k]
	case 1:
		w = append(w[:k], w[k+1:]...)
	case 2:
		w = append(w[:k+1], w[k:]...)
	case 3:
		w[k] = 'a' + (w[k]-'a'+1+byte(r.IntN(24)))%26
	}
	words[at] = string(w)
	return strings.Join(words, " ")
}

// letters returns the number of small Latin letters that a word opens with, 0 for one that has others after them but
// punctuation: only plain words are mistyped.
func letters(word string) int {
	n := 0
	for n < len(word) && word[n] >= 'a' && word[n] <= 'z' {
		n++
	}
	if strings.Trim(word[n:], ".,;:?!") != "" {
		return 0
	}
	return n
}

// written returns when a document was: ten seconds after the one before it, a million in four months.
func written(number int) string {
	return time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(number) * 10 * time.Second).Format(time.DateTime)
}
