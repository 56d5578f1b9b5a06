package lifecycle

import (
	"encoding/binary"
	"hash/fnv"
	"io"

	"github.com/alanbuscaglia/engram"
)

// pastDerived is the bit of a Past that says that a stamp among those texts is derived: such
// a text is the same as another of its words, so that what joins it depends on all of them.
const pastDerived = 1

// Past is what Lineage.Past says of a memory that has these revisions, in any order and with
// any number, and says title and content now, by the write said.
func Past(revisions []engram.Revision, title, content string, said engram.VersionStamp) int64 {
	stamped := make([]engram.Revision, len(revisions))
	for i, r := range revisions {
		r.Stamp = RevisionStamp(r)
		stamped[i] = r
	}
	return pastOf(texts(stamped, textOf(engram.Memory{Title: title, Content: content}, said)))
}

// PastWith is Past after a local write replaced one more text, without a look at those
// before. known is false when it takes that look.
func PastWith(past int64, replaced engram.Revision) (now int64, known bool) {
	if past&pastDerived != 0 || RevisionStamp(replaced).Derived() {
		return 0, false
	}
	return past ^ pastText(replaced), true
}

// pastOf is the number of a set of texts: that of each, by exclusive or, so that order says
// nothing and one more is one step.
func pastOf(texts []engram.Revision) int64 {
	var sum, derivedToo int64
	for _, r := range texts {
		sum ^= pastText(r)
		if r.Stamp.Derived() {
			derivedToo = pastDerived
		}
	}
	return sum | derivedToo
}

// pastText is the number of one text; the bit pastDerived is left out of it.
func pastText(r engram.Revision) int64 {
	h := fnv.New64a()
	for _, s := range []string{r.Stamp.String(), r.Title, r.Content} {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		_, _ = io.WriteString(h, s) // a hash takes all
	}
	return int64(h.Sum64()) &^ pastDerived
}
