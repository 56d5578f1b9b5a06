package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/suspicion"
)

// injectable returns the memories that may be injected, and the number withheld. An instruction-like text that
// no person typed is withheld until a person approves it; on request it is shown, quoted.
//
// The rule is applied again, since it may have changed since the memory was written.
func (e *Engine) injectable(ctx context.Context, r engram.Reader, ms []engram.Memory) (yes []engram.Memory, withheld int, err error) {
	approved, err := approvedOf(ctx, r, ms)
	if err != nil {
		return nil, 0, err
	}
	for _, m := range ms {
		if approved.allows(m) {
			yes = append(yes, m)
		} else {
			withheld++
		}
	}
	return yes, withheld, e.redactForInjection(ctx, r, yes)
}

// approvals are the digests of approved texts, by memory number.
type approvals map[int64]map[string]bool

// approvedOf reads the approvals of memories.
func approvedOf(ctx context.Context, r engram.Reader, ms []engram.Memory) (approvals, error) {
	marks, err := r.Trust(ctx, memoryNums(ms))
	if err != nil {
		return nil, err
	}
	all := approvals{}
	for num, of := range marks {
		all[num] = textsMarked(of, engram.TrustApproved)
	}
	return all, nil
}

// textsMarked returns the digests of the texts with a mark.
func textsMarked(all []engram.Trust, mark engram.TrustMark) map[string]bool {
	texts := map[string]bool{}
	for _, t := range all {
		if t.Mark == mark {
			texts[t.Text] = true
		}
	}
	return texts
}

// allows reports whether a memory may be injected.
func (a approvals) allows(m engram.Memory) bool { return len(a.suspicions(m)) == 0 }

// suspicions returns the flagged texts of a memory that are not approved.
func (a approvals) suspicions(m engram.Memory) []suspicious {
	return slices.DeleteFunc(suspicionsOf(m), func(s suspicious) bool { return a[m.Num][s.digest] })
}

// passage is a text to check for instructions.
type passage struct {
	text  string
	typed bool // the memory's author typed it
	again bool // mostly contained in another passage; common reasons are reported once
}

// suspicious is an instruction-like text.
type suspicious struct {
	digest  string
	again   bool // of passage
	reasons []suspicion.Reason
}

func suspicionsIn(texts []passage) (all []suspicious) {
	for _, p := range texts {
		if reasons := suspicion.Of(p.text); len(reasons) > 0 {
			all = append(all, suspicious{textDigest(p.text), p.again, reasons})
		}
	}
	return all
}

// suspicionsOf returns the instruction-like texts of a memory. What a person typed is trusted; other fields,
// such as tags or a summary, need not be that person's.
func suspicionsOf(m engram.Memory) []suspicious {
	texts := shownTexts(m)
	if m.Origin == engram.OriginHuman {
		texts = slices.DeleteFunc(texts, func(p passage) bool { return p.typed })
	}
	return suspicionsIn(texts)
}

// shownTexts returns all texts of a memory that a reader sees.
func shownTexts(m engram.Memory) []passage {
	beside := append([]string{m.Summary, m.ToolName, m.TopicKey, string(m.Type)}, m.Tags...)
	beside = textsIn(beside, m.Metadata)
	for _, a := range m.Anchors {
		beside = append(beside, a.Path)
	}
	return append(typedTexts(m.Title, m.Content), passages(beside)...)
}

// passages turns texts that are not empty into passages.
func passages(texts []string) (all []passage) {
	for _, text := range texts {
		if text != "" {
			all = append(all, passage{text: text})
		}
	}
	return all
}

// joinedText is how many bytes of a content are checked together with the title.
const joinedText = 120

// typedTexts returns title and content, each alone, and their border, across which an instruction may be split.
func typedTexts(title, content string) []passage {
	texts := []passage{{text: content, typed: true}, {text: title, typed: true, again: true}}
	if head := content[:min(len(content), joinedText)]; !strings.HasPrefix(head, title) {
		texts = append(texts, passage{text: title + "\n" + strings.ToValidUTF8(head, ""), typed: true, again: true})
	}
	return slices.DeleteFunc(texts, func(p passage) bool { return p.text == "" })
}

// textDigest returns the first half of a text's SHA-256 in lower-case hex.
func textDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// instructionLike reports whether a text of unknown author must not be injected.
func instructionLike(text string) bool { return len(suspicion.Of(text)) > 0 }

// titlesWithheld returns the memories whose titles must not be injected, by number: they are instruction-like
// and neither typed nor approved by a person.
func titlesWithheld(ctx context.Context, r engram.Reader, ms []engram.Memory) (map[int64]bool, error) {
	ms = slices.DeleteFunc(ms, func(m engram.Memory) bool { return m.Origin == engram.OriginHuman || !instructionLike(m.Title) })
	if len(ms) == 0 {
		return nil, nil
	}
	approved, err := approvedOf(ctx, r, ms)
	if err != nil {
		return nil, err
	}
	withheld := map[int64]bool{}
	for _, m := range ms {
		withheld[m.Num] = !approved[m.Num][textDigest(m.Title)]
	}
	return withheld, nil
}

// judgeText flags a memory if its new text is instruction-like, so that reviews need not search all memories,
// or removes the flag. was is nil for a new memory.
func (o *op) judgeText(ctx context.Context, was *engram.Memory, now engram.Memory) error {
	if was != nil && was.Origin == now.Origin && slices.Equal(shownTexts(*was), shownTexts(now)) {
		return nil
	}
	found := o.suspicionsOf(now)
	if was != nil && len(found) > 0 {
		approved, err := approvedOf(ctx, o.tx, []engram.Memory{now})
		if err != nil {
			return err
		}
		found = approved.suspicions(now)
	}
	if len(found) > 0 {
		o.pending[now.Num] = true
		return o.tx.PutTrust(ctx, engram.Trust{Memory: now.Num, Mark: engram.TrustFlagged, Reasons: codesOf(found), At: o.at})
	}
	if was == nil {
		return nil
	}
	delete(o.pending, now.Num)
	return o.tx.DropTrust(ctx, now.Num, engram.TrustFlagged)
}

// suspicionsOf returns the suspicions computed before the operation, or computes them.
func (o *op) suspicionsOf(m engram.Memory) []suspicious {
	if o.judged != nil {
		if found, known := o.judged[judgedBy(m)]; known {
			return found
		}
	}
	return suspicionsOf(m)
}

// judgedBy identifies all that suspicionsOf checks. It is a digest to save memory during large imports.
func judgedBy(m engram.Memory) string {
	var all strings.Builder
	all.WriteString(string(m.Origin))
	for _, p := range shownTexts(m) {
		all.WriteString("\x00" + p.text)
	}
	return textDigest(all.String())
}

// codesOf returns the codes of all reasons, sorted, each once.
func codesOf(all []suspicious) (codes []string) {
	for _, s := range all {
		for _, r := range s.reasons {
			codes = append(codes, r.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// flagged returns why memories are flagged, in words, by number; others have no entry.
func flagged(ctx context.Context, r engram.Reader, ms []engram.Memory) (map[int64][]string, error) {
	marks, err := r.Trust(ctx, memoryNums(ms))
	if err != nil || len(marks) == 0 {
		return nil, err
	}
	why := map[int64][]string{}
	for _, m := range ms {
		if reasons, _, isFlagged := whyFlagged(m, marks[m.Num], func(r suspicion.Reason) string { return r.Why }); isFlagged {
			why[m.Num] = reasons
		}
	}
	return why, nil
}

// whyFlagged returns why and since when a memory is flagged: the current reasons for unapproved texts or, without
// any, the recorded ones. isFlagged is false if it is not flagged.
func whyFlagged(m engram.Memory, marks []engram.Trust, report func(suspicion.Reason) string) (why []string, since time.Time, isFlagged bool) {
	for _, mark := range marks {
		if mark.Mark != engram.TrustFlagged {
			continue
		}
		approved := approvals{m.Num: textsMarked(marks, engram.TrustApproved)}
		if why = reportReasons(approved.suspicions(m), report); len(why) == 0 {
			why = mark.Reasons
		}
		return why, mark.At, true
	}
	return nil, since, false
}

// whyAndWhere returns a reason with the place in the text.
func whyAndWhere(r suspicion.Reason) string { return r.Why + ": " + r.Excerpt }

// reportReasons lists each reason once; a title that repeats the content adds none.
func reportReasons(all []suspicious, report func(suspicion.Reason) string) (lines []string) {
	known := map[string]bool{}
	for _, s := range all {
		for _, r := range s.reasons {
			if line := report(r); !slices.Contains(lines, line) && !(s.again && known[r.Why]) {
				lines = append(lines, line)
			}
			known[r.Why] = true
		}
	}
	return lines
}

func memoryNums(ms []engram.Memory) []int64 {
	return mapped(ms, func(m engram.Memory) int64 { return m.Num })
}

func byNum(ms []engram.Memory) map[int64]engram.Memory {
	all := make(map[int64]engram.Memory, len(ms))
	for _, m := range ms {
		all[m.Num] = m
	}
	return all
}

func endsOf(rs []engram.Relation) (nums []int64) {
	for _, r := range rs {
		nums = append(nums, r.Source, r.Target)
	}
	return nums
}

// warnPending warns about saved memories that will not be injected until a person approves them.
func (o *op) warnPending(ctx context.Context, all []SaveResult) error {
	why, err := flagged(ctx, o.tx, mapped(all, func(r SaveResult) engram.Memory { return r.Memory }))
	for i, r := range all {
		if because := why[r.Memory.Num]; because != nil {
			all[i].Warnings = append(all[i].Warnings, pendingWarning(r.Memory.Num, because))
		}
	}
	return err
}

// warnChanged is warnPending for a changed memory; nil if the change did not flag it.
func (o *op) warnChanged(ctx context.Context, m engram.Memory) ([]string, error) {
	if !o.pending[m.Num] {
		return nil, nil
	}
	why, err := flagged(ctx, o.tx, []engram.Memory{m})
	if err != nil {
		return nil, err
	}
	return []string{pendingWarning(m.Num, why[m.Num])}, nil
}

func pendingWarning(num int64, why []string) string {
	return fmt.Sprintf("#%d was flagged as instruction-like (%s): searches find it, but it is injected only after a person approves it (engram review)",
		num, strings.Join(why, "; "))
}
