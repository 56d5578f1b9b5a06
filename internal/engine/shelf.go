package engine

import (
	"slices"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// shelfBytes is about how much the shelf holds: some thousands of memories. Reading
// the texts of the finds is a third of what a search costs, and agents ask about the same
// matters all day.
const shelfBytes = 8 << 20

// shelf keeps what texts say from one search to the next. Each is kept beside the very
// text that was read, and holds for that alone: what a memory says anew is read anew,
// whoever wrote it.
//
// When it is full it is emptied. The words of what was read lie in one lexicon, so that
// nothing can be taken out alone; to read some thousand texts again costs 50 ms.
type shelf struct {
	sync.Mutex
	most int // bytes
	now  *shelved
}

// shelved is what a shelf holds until it is full. A search keeps to one: words of two
// lexicons are not the same.
type shelved struct {
	sync.Mutex
	lexicon *retrieval.Lexicon
	books   map[int64]*book // by memory
	bytes   int             // of books; the lexicon counts its own
}

// book is a text and what it says.
type book struct {
	title, topic, content string
	tags                  []string
	page                  *page           // nil until it is asked
	said                  *retrieval.Said // likewise
}

// bookBytes is about what a book takes beside its texts and words.
const bookBytes = 320

// open returns what a search reads from.
func (s *shelf) open() *shelved {
	s.Lock()
	defer s.Unlock()
	if s.now == nil || s.now.size() > s.most {
		s.now = &shelved{lexicon: retrieval.NewLexicon(), books: map[int64]*book{}}
	}
	return s.now
}

func (s *shelved) size() int {
	s.Lock()
	defer s.Unlock()
	return s.bytes + s.lexicon.Bytes()
}

// book returns that of a memory as it is now.
func (s *shelved) book(m engram.Memory) *book {
	b, known := s.books[m.Num]
	if known && b.content == m.Content && b.title == m.Title && b.topic == m.TopicKey && slices.Equal(b.tags, m.Tags) {
		return b
	}
	b = &book{title: m.Title, topic: m.TopicKey, content: m.Content, tags: slices.Clone(m.Tags)}
	s.books[m.Num] = b
	s.bytes += bookBytes + len(m.Title) + len(m.TopicKey) + len(m.Content) // of what was replaced, too: it is emptied the sooner
	return b
}

// said is what a memory says for retrieval.Texts.
func (s *shelved) said(m engram.Memory) retrieval.Said {
	s.Lock()
	defer s.Unlock()
	b := s.book(m)
	if b.said == nil {
		said := s.lexicon.Say(retrieval.Passage{Num: m.Num, Title: m.Title, Content: m.Content})
		b.said = &said
		s.bytes += said.Bytes()
	}
	return *b.said
}

// page is what one memory says: its different words, in the order in which they come.
type page []*retrieval.Lexeme

// page reads a memory.
func (s *shelved) page(m engram.Memory) page {
	s.Lock()
	defer s.Unlock()
	b := s.book(m)
	if b.page == nil {
		p := s.read(m)
		b.page = &p
		s.bytes += 8 * cap(p)
	}
	return *b.page
}

func (s *shelved) read(m engram.Memory) page {
	var p page
	seen := map[*retrieval.Lexeme]bool{}
	add := func(t text.Token) {
		if x := s.lexicon.Lexeme(t.Word); !seen[x] {
			seen[x] = true
			p = append(p, x)
		}
	}
	text.Scan(text.Title(m), add)
	text.Scan(m.Content, func(t text.Token) {
		if !t.Stop {
			add(t)
		}
	})
	return slices.Clip(p)
}
