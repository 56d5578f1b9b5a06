package finding

// Group is a set of groups of literals that Triggers look for, one bit each.
type Group uint8

// The groups.
const (
	Commands Group = 1 << iota // what a command has that package command finds
	Decoders                   // what decodes the text that it is given
	Rotated                    // that letters are moved
	Reversed                   // that letters are in reverse
	Turns                      // who speaks in a turn of a conversation
	Answers                    // who agrees
)

// Triggers find in one pass which groups of literals a text may have, so that a detector runs only where it can find
// something. They may name a group that the text does not have, and never miss one.
type Triggers [1 << 10]struct {
	four   uint32 // four following bytes, in lower case
	groups Group
}

// NewTriggers returns the Triggers of literals in lower case, by group. Each has four bytes or more.
func NewTriggers(all map[Group][]string) *Triggers {
	var t Triggers
	for g, literals := range all {
		for _, l := range literals {
			t.add(l, g)
		}
	}
	return &t
}

// add adds a literal by the four of its bytes that a text is least likely to have, of those with a place.
func (t *Triggers) add(literal string, g Group) {
	const often = " etaoinsrhldcumfpgwybv" // the most frequent first
	var rank [256]int
	for c := range rank {
		rank[c] = len(often)
	}
	for i := range len(often) {
		rank[often[i]] = i
	}
	best, at := -1, uint32(0)
	for i := 0; i+4 <= len(literal); i++ {
		worth, four := 0, uint32(0)
		for _, c := range []byte(literal[i : i+4]) {
			worth, four = worth+rank[c], four<<8|uint32(c)
		}
		if s := t[slot(four)]; worth > best && (s.groups == 0 || s.four == four) {
			best, at = worth, four
		}
	}
	s := &t[slot(at)]
	s.four, s.groups = at, s.groups|g
}

// In returns the groups of which text may have a literal.
func (t *Triggers) In(text string) (may Group) {
	four := uint32(0)
	for i := range len(text) {
		c := text[i]
		if c-'A' < 26 {
			c += 'a' - 'A'
		}
		four = four<<8 | uint32(c)
		if s := &t[slot(four)]; s.four == four {
			may |= s.groups
		}
	}
	return may
}

func slot(four uint32) uint32 { return four * 0x9e3779b1 >> 22 }
