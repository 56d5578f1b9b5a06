package screen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
)

// change is what undo takes back at once: the operations of one act, the first first.
type change []int64

// mostUndone limits how many own acts are kept for undo; the journal has all.
const mostUndone = 100

// Did notes the operations of an act for undo, and says what it did; op 0 is nothing to undo.
func (c *Context) Did(ops change, format string, args ...any) tea.Cmd {
	what := fmt.Sprintf(format, args...)
	ops = slices.DeleteFunc(ops, func(op int64) bool { return op == 0 })
	if ops = slices.Compact(ops); len(ops) > 0 {
		c.done = append(c.done, ops)
		if len(c.done) > mostUndone {
			c.done = c.done[1:]
		}
		what += " · " + c.Keys.Of("undo").First() + " undoes it"
	}
	c.Say("%s", what)
	return c.Refreshed()
}

// Undo takes back the latest own act.
func (c *Context) Undo() tea.Cmd {
	if len(c.done) == 0 {
		c.Warn("you have changed nothing here that could be undone", "the journal undoes what others did: :journal")
		return nil
	}
	last := c.done[len(c.done)-1]
	c.done = c.done[:len(c.done)-1]
	return undoAll(c, last)
}

// undoAll undoes operations of the journal, the last first. The first that cannot be undone ends it: those before it are
// older.
func undoAll(c *Context, ops change) tea.Cmd {
	type outcome struct {
		last engram.Undone
		left change
		err  error
	}
	return act(c, func(ctx context.Context) (o outcome, _ error) {
		for o.left = ops; len(o.left) > 0; o.left = o.left[:len(o.left)-1] {
			u, err := c.Engine.Undo(ctx, undo.UndoInput{Op: o.left[len(o.left)-1]})
			if err != nil {
				o.err = err
				break
			}
			u.Left = append(o.last.Left, u.Left...)
			o.last = u
		}
		return o, nil
	}, func(o outcome) tea.Cmd {
		text := fmt.Sprintf("Undid operation %d (%s)", o.last.Undone.Op, cell.Inline(o.last.Undone.Name, 0))
		switch n := len(ops) - len(o.left); {
		case n > 1:
			text = fmt.Sprintf("Undid %d operations (%s)", n, cell.Inline(o.last.Undone.Name, 0))
		case len(o.last.Changes) > 0:
			text += ": " + cell.Inline(o.last.Changes[0].What, 200)
		}
		c.Say("%s", text)
		if len(o.last.Left) > 0 {
			c.Warn(text+"; not undone: "+cell.Inline(o.last.Left[0], 200), "")
		}
		if o.err != nil {
			c.Fail(o.err)
		}
		return c.Refreshed()
	})
}

// latest returns the newest operation on a memory, to be undone by the one who made it.
func latest(ctx context.Context, c *Context, num int64) int64 {
	ref := engram.ByNum(num)
	entries, _, err := c.Engine.Log(ctx, read.LogInput{Ref: &ref, Actor: c.Engine.Caller().Actor, Page: engram.Page{Limit: 1}})
	if err != nil || len(entries) == 0 {
		return 0
	}
	return entries[0].Op
}

func refsOf(nums []int64) []engram.Ref {
	refs := make([]engram.Ref, len(nums))
	for i, n := range nums {
		refs[i] = engram.ByNum(n)
	}
	return refs
}

// written is what a change of memories left behind.
type written struct {
	ops   change
	title string
}

// forget forgets memories, all or none.
func forget(c *Context, nums []int64) tea.Cmd {
	return act(c, func(ctx context.Context) (written, error) {
		gone, err := c.Engine.Forget(ctx, refsOf(nums)...)
		if err != nil {
			return written{}, err
		}
		return written{change{latest(ctx, c, nums[0])}, gone[0].Title}, nil
	}, func(w written) tea.Cmd {
		if len(nums) > 1 {
			return c.Did(w.ops, "Forgot %d memories", len(nums))
		}
		return c.Did(w.ops, "Forgot “%s”", cell.Inline(w.title, 60))
	})
}

// each changes memories one after the other, as one act. An error ends it: what was changed before can be undone.
func each[T any](c *Context, nums []int64, one func(ctx context.Context, num int64) (T, int64, error), then func(T, change) tea.Cmd) tea.Cmd {
	var ops change
	return run(c, &job{}, func(ctx context.Context) (last T, err error) {
		for _, n := range nums {
			done, op, err := one(ctx, n)
			if err != nil {
				return last, err
			}
			last, ops = done, append(ops, op)
		}
		return last, nil
	}, func(last T, err error) tea.Cmd {
		if err == nil {
			return then(last, ops)
		}
		var again tea.Cmd
		if len(ops) > 0 {
			again = c.Did(ops, "")
		}
		c.Fail(err)
		return again
	})
}

// pin makes memories permanent, or lets them fade again if the first is.
func pin(c *Context, nums []int64) tea.Cmd {
	var permanent *bool
	return each(c, nums, func(ctx context.Context, n int64) (engram.Memory, int64, error) {
		u, err := c.Engine.Update(ctx, remember.UpdateInput{Ref: engram.ByNum(n), Mark: true, Permanent: permanent, Origin: engram.OriginHuman})
		if err != nil {
			return u.Memory, 0, err
		}
		permanent = &u.Memory.Permanent
		return u.Memory, latest(ctx, c, n), nil
	}, func(m engram.Memory, ops change) tea.Cmd {
		what := "fades again"
		if m.Permanent {
			what = "is pinned and does not fade"
		}
		if len(nums) > 1 {
			return c.Did(ops, "%d memories: each %s", len(nums), what)
		}
		return c.Did(ops, "“%s” %s", cell.Inline(m.Title, 60), what)
	})
}

// copyText copies a memory through the terminal (OSC 52), which also works over ssh.
func copyText(c *Context, m engram.Memory) tea.Cmd {
	c.Say("Copied #%d, if the terminal allows it (OSC 52)", m.Num)
	return tea.SetClipboard(m.Title + "\n\n" + m.Content)
}

// link asks for the other memory and the relation.
func link(c *Context, nums []int64) tea.Cmd {
	verbs := engram.Verbs()
	c.Ask(&Prompt{
		Label: fmt.Sprintf("Link %s to:", numbers(nums)), Hint: "NUMBER [RELATION], such as 12 supersedes; tab completes",
		Complete: func(s string) (all []string) {
			name, verb, found := strings.Cut(s, " ")
			if !found || name == "" {
				return nil
			}
			for _, v := range verbs {
				if strings.HasPrefix(string(v), verb) {
					all = append(all, name+" "+string(v))
				}
			}
			return all
		},
		Then: func(s string) tea.Cmd { return linkTo(c, nums, s) },
	})
	return nil
}

func linkTo(c *Context, nums []int64, s string) tea.Cmd {
	name, said, _ := strings.Cut(s, " ")
	ref, err := engram.ParseRef(strings.TrimPrefix(name, "#"))
	verb := engram.VerbRelatesTo
	if said = strings.TrimSpace(said); err == nil && said != "" {
		verb, err = engram.ParseVerb(said)
	}
	if err != nil {
		c.Fail(err)
		return nil
	}
	return each(c, nums, func(ctx context.Context, n int64) (linked relate.Linked, op int64, err error) {
		linked, err = c.Engine.Link(ctx, relate.LinkInput{Source: engram.ByNum(n), Target: ref, Verb: verb, ActorKind: relate.KindHuman})
		if err == nil && linked.Action != relate.LinkKnown {
			op = latestOf(ctx, c, "")
		}
		return linked, op, err
	}, func(l relate.Linked, ops change) tea.Cmd {
		if len(nums) > 1 {
			return c.Did(ops, "%d memories: each %s #%d", len(nums), strings.ReplaceAll(string(l.Relation.Verb), "_", " "), l.Target.Num)
		}
		return c.Did(ops, "#%d %s #%d: %s", l.Source.Num, strings.ReplaceAll(string(l.Relation.Verb), "_", " "), l.Target.Num, l.Action)
	})
}

func numbers(nums []int64) string {
	if len(nums) == 1 {
		return fmt.Sprintf("#%d", nums[0])
	}
	return fmt.Sprintf("%d memories", len(nums))
}

// draft is a memory as it is written in an editor.
type draft struct {
	num      int64 // 0: a new memory
	revision int   // the one that was edited
	title    string
	typ      string
	scope    string
	topic    string
	tags     string
	content  string
	over     bool // save over what others changed meanwhile
}

// String returns the text for the editor: fields, an empty line, the content.
func (d draft) String() string {
	var b strings.Builder
	for _, f := range [][2]string{{"Title", d.title}, {"Type", d.typ}, {"Scope", d.scope}, {"Topic", d.topic}, {"Tags", d.tags}} {
		fmt.Fprintln(&b, strings.TrimRight(f[0]+": "+f[1], " "))
	}
	return b.String() + "\n" + d.content
}

// parseDraft reads a text from the editor into d.
func parseDraft(d draft, s string) (draft, error) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	head, content, _ := strings.Cut(s, "\n\n")
	d.title, d.typ, d.scope, d.topic, d.tags, d.content = "", "", "", "", "", strings.TrimSpace(content)
	for line := range strings.SplitSeq(head, "\n") {
		name, value, found := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "title":
			d.title = value
		case "type":
			d.typ = value
		case "scope":
			d.scope = value
		case "topic":
			d.topic = value
		case "tags":
			d.tags = value
		default:
			if !found {
				value = line
			}
			return d, engram.Errorf(engram.CodeInvalid, "%.60q is no field: the text of a memory begins after the first empty line", value).
				WithHint("fields are Title, Type, Scope, Topic and Tags")
		}
	}
	if d.content == "" {
		return d, errEmpty
	}
	return d, nil
}

var errEmpty = errors.New("the text is empty")

func tagsOf(s string) (tags []string) {
	for tag := range strings.SplitSeq(s, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

// Write opens an editor for a new memory.
func Write(c *Context) tea.Cmd {
	return inEditor(c, draft{typ: string(engram.TypeManual), scope: string(engram.ScopeProject)})
}

// edit opens an editor with a memory.
func edit(c *Context, num int64) tea.Cmd {
	return act(c, func(ctx context.Context) (read.Detail, error) { return c.Engine.Get(ctx, engram.ByNum(num)) }, func(d read.Detail) tea.Cmd {
		m := d.Memory
		return inEditor(c, draft{m.Num, m.RevisionCount, m.Title, string(m.Type), string(m.Scope), m.TopicKey, strings.Join(m.Tags, ", "), m.Content, false})
	})
}

// inEditor lets the person edit a draft, and saves it. What cannot be saved is offered again the next time.
func inEditor(c *Context, d draft) tea.Cmd {
	begin := d.String()
	if kept, ok := c.kept[d.num]; ok {
		begin = kept
	}
	return act(c, func(context.Context) (Editing, error) { return c.Outside.Edit(begin) }, func(e Editing) tea.Cmd {
		exec := c.Exec
		if exec == nil {
			exec = tea.Exec
		}
		return exec(e, func(failed error) tea.Msg { return edited(c, d, begin, e, failed) })
	})
}

// edited reads the text when the editor has ended.
func edited(c *Context, d draft, begin string, e Editing, failed error) tea.Msg {
	text, err := e.Text()
	if closing := e.Close(); err == nil {
		err = closing
	}
	j := &job{}
	return Result{j, 0, func() tea.Cmd {
		switch {
		case failed != nil:
			c.Warn("nothing was changed: the editor failed: "+cell.Inline(failed.Error(), 200), "set VISUAL or EDITOR to another program")
			return nil
		case err != nil:
			c.Fail(err)
			return nil
		case text == begin && d.num != 0 && c.kept[d.num] == "":
			c.Say("Nothing was changed")
			return nil
		}
		return saveDraft(c, d, text)
	}}
}

func saveDraft(c *Context, d draft, text string) tea.Cmd {
	now, err := parseDraft(d, text)
	if errors.Is(err, errEmpty) {
		c.Say("Nothing was saved: the text is empty")
		return nil
	}
	if err != nil {
		c.keep(d.num, text)
		c.Fail(err)
		c.note.hint += "; your text is kept for the next try"
		return nil
	}
	project := c.Project
	now.over = c.kept[d.num] != ""
	return run(c, &job{}, func(ctx context.Context) (written, error) { return now.save(ctx, c, project) }, func(w written, err error) tea.Cmd {
		if err != nil {
			c.keep(d.num, text)
			c.Fail(err)
			c.note.hint = strings.TrimPrefix(c.note.hint+"; your text is kept for the next try", "; ")
			return nil
		}
		delete(c.kept, d.num)
		return c.Did(w.ops, "Saved “%s”", cell.Inline(w.title, 60))
	})
}

// keep keeps a text that could not be saved.
func (c *Context) keep(num int64, text string) {
	if c.kept == nil {
		c.kept = map[int64]string{}
	}
	c.kept[num] = text
}

func (d draft) save(ctx context.Context, c *Context, project string) (written, error) {
	if d.num == 0 {
		r, err := c.Engine.Save(ctx, remember.SaveInput{Title: d.title, Content: d.content, Type: engram.Type(d.typ), Scope: engram.ParseScope(d.scope),
			Project: project, TopicKey: d.topic, Tags: tagsOf(d.tags), Origin: engram.OriginHuman})
		return written{change{r.Op}, r.Memory.Title}, err
	}
	was, err := c.Engine.Get(ctx, engram.ByNum(d.num))
	if err != nil {
		return written{}, err
	}
	if was.Memory.RevisionCount != d.revision && !d.over {
		return written{}, engram.Errorf(engram.CodeConflict, "#%d was changed by another program meanwhile", d.num).WithHint("edit again to save yours over it")
	}
	typ, scope, tags := engram.Type(d.typ), engram.ParseScope(d.scope), tagsOf(d.tags)
	u, err := c.Engine.Update(ctx, remember.UpdateInput{Ref: engram.ByNum(d.num), Title: &d.title, Content: &d.content, Type: &typ, Scope: &scope,
		TopicKey: &d.topic, Tags: &tags, Origin: engram.OriginHuman})
	if err != nil {
		return written{}, err
	}
	return written{change{latest(ctx, c, d.num)}, u.Title}, nil
}
