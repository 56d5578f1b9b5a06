package postings

// Entries walks the words of a block in ascending order of their bytes. A block is a run
// of entries, each of them
//
//	bytes shared with the word before, length of the rest, the rest, length of the list, the list
//
// Call Next until it is false, then Err.
type Entries struct {
	rest    []byte
	word    []byte
	list    []byte
	shared  int // bytes that the word shares with the one before
	damaged bool
}

// NewEntries returns a walk that stands before the first word of the block.
func NewEntries(block []byte) *Entries { return &Entries{rest: block} }

// Next goes to the next word and reports whether there is one.
func (e *Entries) Next() bool {
	if len(e.rest) == 0 || e.damaged {
		return false
	}
	shared, suffix, list, rest, ok := entry(e.rest)
	if !ok || shared > len(e.word) {
		e.damaged = true
		return false
	}
	e.word = append(e.word[:shared], suffix...)
	e.shared, e.list, e.rest = shared, list, rest
	return true
}

// Word is the word; it holds until the next Next.
func (e *Entries) Word() []byte { return e.word }

// List is the encoded list of the word.
func (e *Entries) List() []byte { return e.list }

// Err is ErrDamaged when the walk ended because the bytes made no sense.
func (e *Entries) Err() error {
	if e.damaged {
		return ErrDamaged
	}
	return nil
}

// entry cuts the first entry off a block.
func entry(b []byte) (shared int, suffix, list, rest []byte, ok bool) {
	var n int
	if shared, b, ok = uvarint(b); !ok {
		return
	}
	if n, b, ok = uvarint(b); !ok || n > len(b) {
		return 0, nil, nil, nil, false
	}
	suffix, b = b[:n], b[n:]
	if n, b, ok = uvarint(b); !ok || n > len(b) {
		return 0, nil, nil, nil, false
	}
	return shared, suffix, b[:n], b[n:], true
}

// Find returns the encoded list of a word; found is false when the block lacks it.
func Find(block []byte, word string) (list []byte, found bool, err error) {
	// same is how many bytes of word the entry before shares with it. An entry that
	// shares more with the one before is as far from word as that was; one that shares
	// less is behind word. So no word is put together.
	same := 0
	for len(block) > 0 {
		shared, suffix, l, rest, ok := entry(block)
		if !ok {
			return nil, false, ErrDamaged
		}
		block = rest
		if shared > same {
			continue
		}
		if shared < same {
			return nil, false, nil
		}
		n := 0
		for n < len(suffix) && same+n < len(word) && suffix[n] == word[same+n] {
			n++
		}
		switch {
		case n == len(suffix) && same+n == len(word):
			return l, true, nil
		case n < len(suffix) && (same+n == len(word) || suffix[n] > word[same+n]):
			return nil, false, nil
		}
		same += n
	}
	return nil, false, nil
}
