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

// injectable returns those of some memories that may be told to an agent that did not ask for
// them, and how many are withheld. Whatever was not typed by a person and reads like an order
// to an agent waits until a person approved it; what is asked for is shown, but quoted.
//
// The rule is asked anew: it may know more than when the memory was written.
func (e *Engine) injectable(ctx context.Context, r engram.Reader, ms []engram.Memory) (yes []engram.Memory, withheld int, err error) {
	approved, err := approvedOf(ctx, r, ms)
	if err != nil {
		return nil, 0, err
	}
	for _, m := range ms {
		if approved.tells(m) {
			yes = append(yes, m)
		} else {
			withheld++
		}
	}
	return yes, withheld, e.unasked(ctx, r, yes)
}

// approvals has the digests of the texts that persons approved, by the number of the memory.
type approvals map[int64]map[string]bool

// approvedOf reads what was approved of some memories.
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

// textsMarked are the digests of the texts that have a mark.
func textsMarked(all []engram.Trust, mark engram.TrustMark) map[string]bool {
	texts := map[string]bool{}
	for _, t := range all {
		if t.Mark == mark {
			texts[t.Text] = true
		}
	}
	return texts
}

// tells reports whether a memory may be told unasked.
func (a approvals) tells(m engram.Memory) bool { return len(a.suspicions(m)) == 0 }

// suspicions are the texts of a memory that read like an order and that nobody approved.
func (a approvals) suspicions(m engram.Memory) []suspicious {
	return slices.DeleteFunc(suspicionsOf(m), func(s suspicious) bool { return a[m.Num][s.digest] })
}

// passage is a text that is looked at for orders.
type passage struct {
	text  string
	typed bool // whoever wrote the memory typed it
	again bool // another passage has most of it: what is found in both is told once
}

// suspicious is a text that reads like an order to an agent.
type suspicious struct {
	digest  string
	again   bool // of passage
	reasons []suspicion.Reason
}

// suspicionsIn are those of some texts that read like an order to an agent.
func suspicionsIn(texts []passage) (all []suspicious) {
	for _, p := range texts {
		if reasons := suspicion.Of(p.text); len(reasons) > 0 {
			all = append(all, suspicious{textDigest(p.text), p.again, reasons})
		}
	}
	return all
}

// suspicionsOf are the texts of a memory that read like an order to an agent. What a person
// typed is none; what is beside it, such as a tag or a summary, need not be that person's.
func suspicionsOf(m engram.Memory) []suspicious {
	texts := shownTexts(m)
	if m.Origin == engram.OriginHuman {
		texts = slices.DeleteFunc(texts, func(p passage) bool { return p.typed })
	}
	return suspicionsIn(texts)
}

// shownTexts are the texts of a memory that whoever reads it is shown.
func shownTexts(m engram.Memory) []passage {
	beside := append([]string{m.Summary, m.ToolName, m.TopicKey, string(m.Type)}, m.Tags...)
	beside = textsIn(beside, m.Metadata)
	for _, a := range m.Anchors {
		beside = append(beside, a.Path)
	}
	return append(typedTexts(m.Title, m.Content), passages(beside)...)
}

// passages are texts as passages; one that is empty is none.
func passages(texts []string) (all []passage) {
	for _, text := range texts {
		if text != "" {
			all = append(all, passage{text: text})
		}
	}
	return all
}

// joinedText is how much of a content is looked at together with its title.
const joinedText = 120

// typedTexts are title and content, which whoever wrote them typed: each, and the end of the one
// with the beginning of the other, over which an order may be spread.
func typedTexts(title, content string) []passage {
	texts := []passage{{text: content, typed: true}, {text: title, typed: true, again: true}}
	if head := content[:min(len(content), joinedText)]; !strings.HasPrefix(head, title) {
		texts = append(texts, passage{text: title + "\n" + strings.ToValidUTF8(head, ""), typed: true, again: true})
	}
	return slices.DeleteFunc(texts, func(p passage) bool { return p.text == "" })
}

// textDigest names a text: the first half of its SHA-256 in lower-case hex.
func textDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// readsLikeAnOrder reports whether a text of which nobody knows the author may not be told
// unasked.
func readsLikeAnOrder(text string) bool { return len(suspicion.Of(text)) > 0 }

// titlesWithheld are the memories whose titles may not be told beside another memory, by number: they
// read like an order, and no person typed or approved them.
func titlesWithheld(ctx context.Context, r engram.Reader, ms []engram.Memory) (map[int64]bool, error) {
	ms = slices.DeleteFunc(ms, func(m engram.Memory) bool { return m.Origin == engram.OriginHuman || !readsLikeAnOrder(m.Title) })
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

// judgeText marks a memory suspect when what it says now, and did not before, reads like an
// order, so that whoever reviews needs not look through all memories; or takes the mark away.
// was is nil for a memory that is new.
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

// suspicionsOf is what was found before the op, or else is found now.
func (o *op) suspicionsOf(m engram.Memory) []suspicious {
	if o.judged != nil {
		if found, known := o.judged[judgedBy(m)]; known {
			return found
		}
	}
	return suspicionsOf(m)
}

// judgedBy names all of a memory that suspicionsOf looks at. It is no copy of it: of an import
// many are under way.
func judgedBy(m engram.Memory) string {
	var all strings.Builder
	all.WriteString(string(m.Origin))
	for _, p := range shownTexts(m) {
		all.WriteString("\x00" + p.text)
	}
	return textDigest(all.String())
}

// codesOf are the codes of all reasons, each once, sorted.
func codesOf(all []suspicious) (codes []string) {
	for _, s := range all {
		for _, r := range s.reasons {
			codes = append(codes, r.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// flagged returns why each of some memories reads like an order, in words, by number: of
// those that are marked suspect.
func flagged(ctx context.Context, r engram.Reader, ms []engram.Memory) (map[int64][]string, error) {
	marks, err := r.Trust(ctx, memoryNums(ms))
	if err != nil || len(marks) == 0 {
		return nil, err
	}
	why := map[int64][]string{}
	for _, m := range ms {
		if reasons, _, suspect := whyFlagged(m, marks[m.Num], func(r suspicion.Reason) string { return r.Why }); suspect {
			why[m.Num] = reasons
		}
	}
	return why, nil
}

// whyFlagged says for which reasons a memory is suspect, and since when: what the rule says now of
// the texts that nobody approved, or, when it says nothing any more, what it said then. suspect is
// whether it is.
func whyFlagged(m engram.Memory, marks []engram.Trust, report func(suspicion.Reason) string) (why []string, since time.Time, suspect bool) {
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

// whyAndWhere tells a reason with the place in the text.
func whyAndWhere(r suspicion.Reason) string { return r.Why + ": " + r.Excerpt }

// reportReasons tells each reason once: what a title says that the content repeats is one.
func reportReasons(all []suspicious, report func(suspicion.Reason) string) (told []string) {
	known := map[string]bool{}
	for _, s := range all {
		for _, r := range s.reasons {
			if line := report(r); !slices.Contains(told, line) && !(s.again && known[r.Why]) {
				told = append(told, line)
			}
			known[r.Why] = true
		}
	}
	return told
}

// memoryNums are the numbers of memories.
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

// endsOf returns the memories of relations.
func endsOf(rs []engram.Relation) (nums []int64) {
	for _, r := range rs {
		nums = append(nums, r.Source, r.Target)
	}
	return nums
}

// warnPending adds to what is said of saves that a memory is told to nobody who did not ask for
// it, until a person approves it: whoever saved it would believe that it is known.
func (o *op) warnPending(ctx context.Context, all []SaveResult) error {
	ms := make([]engram.Memory, len(all))
	for i, r := range all {
		ms[i] = r.Memory
	}
	why, err := flagged(ctx, o.tx, ms)
	for i, r := range all {
		if because := why[r.Memory.Num]; because != nil {
			all[i].Warnings = append(all[i].Warnings, pendingWarning(r.Memory.Num, because))
		}
	}
	return err
}

// warnChanged is warnPending for a memory that was changed: nil where that is not why it waits.
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
	return fmt.Sprintf("#%d reads like an order to an agent (%s): it is found when somebody asks, and told unasked only after a person approves it (engram review)",
		num, strings.Join(why, "; "))
}
