package storetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

func roundTripCases() []testCase {
	return []testCase{
		{"any valid memory comes back as it was, inserted or replaced", func(k *kit) {
			const rounds = 150
			k.save() // the project and the session that drawn memories name
			first := k.save()
			for seed := range uint64(rounds) {
				d := drawer{rand.New(rand.NewPCG(seed, 7))}
				m := k.draft(d.memory)
				if err := m.Validate(); err != nil {
					k.Fatalf("seed %d drew a memory that is not valid: %v", seed, err)
				}
				k.update(func(tx engram.Tx) error { return tx.InsertMemory(k.Context(), &m) })
				k.sameMemory(fmt.Sprintf("seed %d, inserted", seed), k.read(engram.ByNum(m.Num)), m)
				over := m
				over.Num, over.ID, over.SyncID, over.TopicKey = first.Num, first.ID, first.SyncID, ""
				k.replace(over, func(*engram.Memory) {})
				k.sameMemory(fmt.Sprintf("seed %d, replaced", seed), k.read(engram.ByNum(first.Num)), over)
			}
		}},
		{"every plane of Unicode is kept", func(k *kit) {
			for plane := range rune(17) {
				var b strings.Builder
				for r := plane << 16; r < (plane+1)<<16; r += 61 {
					if r != 0 && (r < 0xd800 || r > 0xdfff) {
						b.WriteRune(r)
					}
				}
				m := k.write(fmt.Sprintf("plane %d", plane), b.String())
				if got := k.read(engram.ByNum(m.Num)); got.Content != m.Content {
					k.Errorf("plane %d: got %d bytes, want %d", plane, len(got.Content), len(m.Content))
				}
			}
		}},
		{"a content of the greatest size is kept to the byte and found", func(k *kit) {
			for _, unit := range []string{"a kettle of fish ", "水", "\x01\x7f", "𝛀"} {
				content := strings.Repeat(unit, engram.MaxContent/len(unit))
				content += strings.Repeat("!", engram.MaxContent-len(content))
				m := k.write("great "+fmt.Sprint(len(unit)), content)
				if got := k.read(engram.ByNum(m.Num)); got.Content != content {
					k.Errorf("%q: got %d bytes, want %d", unit, len(got.Content), len(content))
				}
			}
			k.same("found", numsOf(k.find("kettle")), []int64{1})
		}},
	}
}

// drawer draws what may stand in a memory.
type drawer struct{ *rand.Rand }

// text draws up to most bytes of valid text without NUL, from every plane, with the
// characters that break things more often than chance would have them.
func (d drawer) text(most int) string {
	awkward := []rune("\"'\\\n\r\t\x01\x1b\x7f%_*?:;,.-<>&{}[]()$·\u00a0\u0301\u200d\u202e\u2028\ufeff\ufffd\uffff\U0010ffffaßİ")
	var b strings.Builder
	for n := d.IntN(most + 1); ; {
		r := awkward[d.IntN(len(awkward))]
		switch d.IntN(4) {
		case 0:
			r = rune('a' + d.IntN(26))
		case 1:
			if r = rune(1 + d.IntN(0x10ffff)); r >= 0xd800 && r <= 0xdfff {
				r = '\U0001f980'
			}
		case 2:
			r = ' '
		}
		if b.Len()+len(string(r)) > n {
			return b.String()
		}
		b.WriteRune(r)
	}
}

// words is text that is not empty.
func (d drawer) words(most int) string { return "w" + d.text(most-1) }

func (d drawer) time() time.Time {
	if d.IntN(3) == 0 {
		return time.Time{}
	}
	return time.UnixMilli(d.Int64N(4e12) - 1e11).UTC()
}

// json draws a value as encoding/json reads one back.
func (d drawer) json(depth int) any {
	switch n := d.IntN(7); {
	case n == 0:
		return nil
	case n == 1:
		return d.IntN(2) == 0
	case n == 2:
		return float64(d.IntN(2000) - 1000)
	case n == 3:
		return d.NormFloat64() * 1e10
	case n == 4 && depth > 0:
		list := make([]any, d.IntN(4))
		for i := range list {
			list[i] = d.json(depth - 1)
		}
		return list
	case n == 5 && depth > 0:
		return d.object(depth - 1)
	}
	return d.text(40)
}

func (d drawer) object(depth int) map[string]any {
	o := map[string]any{}
	for range d.IntN(4) {
		o[d.text(20)] = d.json(depth)
	}
	return o
}

// memory sets the fields of a draft.
func (d drawer) memory(m *engram.Memory) {
	m.Title, m.Content, m.Summary = d.words(300), d.words(3000), d.text(200)
	m.Type, m.ToolName = engram.Type(d.words(30)), d.text(30)
	m.Scope = []engram.Scope{engram.ScopeProject, engram.ScopePersonal, engram.ScopeGlobal}[d.IntN(3)]
	m.Origin = []engram.Origin{engram.OriginHuman, engram.OriginAgent, engram.OriginTool, engram.OriginImport, engram.OriginSync}[d.IntN(5)]
	seen := map[string]bool{}
	for range d.IntN(6) {
		if tag := d.words(engram.MaxTag); !seen[tag] {
			seen[tag] = true
			m.Tags = append(m.Tags, tag)
		}
	}
	if o := d.object(3); len(o) > 0 {
		m.Metadata = o
	}
	for range max(d.IntN(8)-4, 0) {
		first := d.IntN(3)
		a := anchorAt(fmt.Sprintf("dir/%d.go", d.IntN(5)), first, first)
		a.Named = d.IntN(2) == 0
		m.Anchors = engram.CleanAnchors(append(m.Anchors, a))
	}
	if d.IntN(2) == 0 {
		m.TopicKey = fmt.Sprintf("%d/%s", m.CreatedAt.UnixMilli(), d.text(80))
	}
	m.Importance, m.Strength, m.Permanent, m.AccessCount = d.Float64(), d.Float64(), d.IntN(2) == 0, d.IntN(1000)
	m.LastAccessedAt, m.ReviewAfter, m.ValidFrom, m.ValidTo, m.LastSeenAt = d.time(), d.time(), d.time(), d.time(), d.time()
	m.RevisionCount, m.DuplicateCount = 1+d.IntN(50), 1+d.IntN(50)
	if d.IntN(4) == 0 {
		m.DeletedAt = at(d.IntN(10_000))
	}
}
