package screen

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/suspicion"
)

// WarnAccepted warns that an accepted memory is still flagged: accepting does not approve it.
func WarnAccepted(ctx context.Context, r engram.Reader, m engram.Memory) ([]string, error) {
	why, err := Flagged(ctx, r, []engram.Memory{m})
	if err != nil || len(why[m.Num]) == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("Memory #%d was flagged as instruction-like (%s): it is not injected until engram review approve %d",
		m.Num, strings.Join(why[m.Num], "; "), m.Num)}, nil
}

// textsIn appends the texts of a JSON value, including keys.
func textsIn(texts []string, v any) []string {
	switch v := v.(type) {
	case string:
		texts = append(texts, v)
	case []any:
		for _, one := range v {
			texts = textsIn(texts, one)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			texts = textsIn(append(texts, key), v[key])
		}
	}
	return texts
}

// Approvals are the digests of approved texts, by memory number.
type Approvals map[int64]map[string]bool

// ApprovedOf reads the approvals of memories.
func ApprovedOf(ctx context.Context, r engram.Reader, ms []engram.Memory) (Approvals, error) {
	marks, err := r.Trust(ctx, MemoryNums(ms))
	if err != nil {
		return nil, err
	}
	all := Approvals{}
	for num, of := range marks {
		all[num] = TextsMarked(of, engram.TrustApproved)
	}
	return all, nil
}

// TextsMarked returns the digests of the texts with a mark.
func TextsMarked(all []engram.Trust, mark engram.TrustMark) map[string]bool {
	texts := map[string]bool{}
	for _, t := range all {
		if t.Mark == mark {
			texts[t.Text] = true
		}
	}
	return texts
}

// Suspicions returns the flagged texts of a memory that are not approved.
func (a Approvals) Suspicions(m engram.Memory) []Suspicious {
	return slices.DeleteFunc(SuspicionsOf(m), func(s Suspicious) bool { return a[m.Num][s.Digest] })
}

// Passage is a text to check for instructions.
type Passage struct {
	Text  string
	typed bool // the memory's author typed it
	again bool // mostly contained in another passage; common reasons are reported once
}

// Suspicious is an instruction-like text.
type Suspicious struct {
	Digest  string
	again   bool // of passage
	Reasons []suspicion.Reason
}

// SuspicionsIn returns the instruction-like ones of texts.
func SuspicionsIn(texts []Passage) (all []Suspicious) {
	for _, p := range texts {
		if reasons := suspicion.Of(p.Text); len(reasons) > 0 {
			all = append(all, Suspicious{textDigest(p.Text), p.again, reasons})
		}
	}
	return all
}

// SuspicionsOf returns the instruction-like texts of a memory. What a person typed is trusted; other fields,
// such as tags or a summary, need not be that person's.
func SuspicionsOf(m engram.Memory) []Suspicious {
	texts := ShownTexts(m)
	if m.Origin == engram.OriginHuman {
		texts = slices.DeleteFunc(texts, func(p Passage) bool { return p.typed })
	}
	return SuspicionsIn(texts)
}

// ShownTexts returns all texts of a memory that a reader sees.
func ShownTexts(m engram.Memory) []Passage {
	beside := append([]string{m.Summary, m.ToolName, m.TopicKey, string(m.Type)}, m.Tags...)
	beside = textsIn(beside, m.Metadata)
	for _, a := range m.Anchors {
		beside = append(beside, a.Path)
	}
	return append(TypedTexts(m.Title, m.Content), Passages(beside)...)
}

// Passages turns texts that are not empty into passages.
func Passages(texts []string) (all []Passage) {
	for _, text := range texts {
		if text != "" {
			all = append(all, Passage{Text: text})
		}
	}
	return all
}

// joinedText is how many bytes of a content are checked together with the title.
const joinedText = 120

// TypedTexts returns title and content, each alone, and their border, across which an instruction may be split.
func TypedTexts(title, content string) []Passage {
	texts := []Passage{{Text: content, typed: true}, {Text: title, typed: true, again: true}}
	if head := content[:min(len(content), joinedText)]; !strings.HasPrefix(head, title) {
		texts = append(texts, Passage{Text: title + "\n" + strings.ToValidUTF8(head, ""), typed: true, again: true})
	}
	return slices.DeleteFunc(texts, func(p Passage) bool { return p.Text == "" })
}

// textDigest returns the first half of a text's SHA-256 in lower-case hex.
func textDigest[T string | []byte](text T) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// InstructionLike reports whether a text of unknown author must not be injected.
func InstructionLike(text string) bool { return len(suspicion.Of(text)) > 0 }

// TitlesWithheld returns the memories whose titles must not be injected, by number: they are instruction-like
// and neither typed nor approved by a person.
func TitlesWithheld(ctx context.Context, r engram.Reader, ms []engram.Memory) (map[int64]bool, error) {
	ms = slices.DeleteFunc(ms, func(m engram.Memory) bool { return m.Origin == engram.OriginHuman || !InstructionLike(m.Title) })
	if len(ms) == 0 {
		return nil, nil
	}
	approved, err := ApprovedOf(ctx, r, ms)
	if err != nil {
		return nil, err
	}
	withheld := map[int64]bool{}
	for _, m := range ms {
		withheld[m.Num] = !approved[m.Num][textDigest(m.Title)]
	}
	return withheld, nil
}

// JudgedBy identifies all that suspicionsOf checks. It is a digest to save memory during large imports.
func JudgedBy(m engram.Memory) string {
	all := append(make([]byte, 0, 1024), m.Origin...)
	for _, p := range ShownTexts(m) {
		all = append(append(all, 0), p.Text...)
	}
	return textDigest(all)
}

// CodesOf returns the codes of all reasons, sorted, each once.
func CodesOf(all []Suspicious) (codes []string) {
	for _, s := range all {
		for _, r := range s.Reasons {
			codes = append(codes, r.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// Flagged returns why memories are flagged, in words, by number; others have no entry.
func Flagged(ctx context.Context, r engram.Reader, ms []engram.Memory) (map[int64][]string, error) {
	marks, err := r.Trust(ctx, MemoryNums(ms))
	if err != nil || len(marks) == 0 {
		return nil, err
	}
	return flagged(ms, marks), nil
}

func flagged(ms []engram.Memory, marks map[int64][]engram.Trust) map[int64][]string {
	why := map[int64][]string{}
	for _, m := range ms {
		if reasons, _, isFlagged := WhyFlagged(m, marks[m.Num], func(r suspicion.Reason) string { return r.Why }); isFlagged {
			why[m.Num] = reasons
		}
	}
	return why
}

// WhyFlagged returns why and since when a memory is flagged: the current reasons for unapproved texts or, without
// any, the recorded ones. isFlagged is false if it is not flagged.
func WhyFlagged(m engram.Memory, marks []engram.Trust, report func(suspicion.Reason) string) (why []string, since time.Time, isFlagged bool) {
	for _, mark := range marks {
		if mark.Mark != engram.TrustFlagged {
			continue
		}
		approved := Approvals{m.Num: TextsMarked(marks, engram.TrustApproved)}
		if why = ReportReasons(approved.Suspicions(m), report); len(why) == 0 {
			why = mark.Reasons
		}
		return why, mark.At, true
	}
	return nil, since, false
}

// WhyAndWhere returns a reason with the place in the text.
func WhyAndWhere(r suspicion.Reason) string { return r.Why + ": " + r.Excerpt }

// ReportReasons lists each reason once; a title that repeats the content adds none.
func ReportReasons(all []Suspicious, report func(suspicion.Reason) string) (lines []string) {
	known := map[string]bool{}
	for _, s := range all {
		for _, r := range s.Reasons {
			if line := report(r); !slices.Contains(lines, line) && !(s.again && known[r.Why]) {
				lines = append(lines, line)
			}
			known[r.Why] = true
		}
	}
	return lines
}

// MemoryNums returns the numbers of memories.
func MemoryNums(ms []engram.Memory) []int64 {
	return walk.Mapped(ms, func(m engram.Memory) int64 { return m.Num })
}

// ByNum returns memories by number.
func ByNum(ms []engram.Memory) map[int64]engram.Memory {
	all := make(map[int64]engram.Memory, len(ms))
	for _, m := range ms {
		all[m.Num] = m
	}
	return all
}

// EndsOf returns the numbers of the memories of relations, each once.
func EndsOf(rs []engram.Relation) (nums []int64) {
	for _, r := range rs {
		nums = append(nums, r.Source, r.Target)
	}
	return nums
}

// PendingWarning says that a memory is not injected until a person approves it, and why.
func PendingWarning(num int64, why []string) string {
	return fmt.Sprintf("#%d was flagged as instruction-like (%s): searches find it, but it is injected only after a person approves it (engram review)",
		num, strings.Join(why, "; "))
}
