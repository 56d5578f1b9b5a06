// Package memory holds the commands that write, find and remove memories, sessions and prompts, a file per verb or
// group of verbs: save.go also has update, mark, tag, topic and capture, search.go recall and context, list.go get,
// timeline, history, restore and why, log.go undo. What a command prints, as a document and as text, is below it.
package memory

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/render"
)

// Commands returns the commands of memories, sessions and prompts.
func Commands() []command.Maker {
	return []command.Maker{
		command.In(command.GroupMemory, "save add remember", saveCommand),
		command.In(command.GroupMemory, "search query", searchCommand),
		command.In(command.GroupMemory, "recall", recallCommand),
		command.In(command.GroupMemory, "context", contextCommand),
		command.In(command.GroupMemory, "get show", getCommand),
		command.In(command.GroupMemory, "list", listCommand),
		command.In(command.GroupMemory, "recent", recentCommand),
		command.In(command.GroupMemory, "timeline", timelineCommand),
		command.In(command.GroupMemory, "update", updateCommand),
		command.In(command.GroupMemory, "mark", markCommand),
		command.In(command.GroupMemory, "tag", tagCommand),
		command.In(command.GroupMemory, "link", linkCommand),
		command.In(command.GroupMemory, "unlink", unlinkCommand),
		command.In(command.GroupMemory, "graph", graphCommand),
		command.In(command.GroupMemory, "delete forget", deleteCommand),
		command.In(command.GroupMemory, "history", historyCommand),
		command.In(command.GroupMemory, "restore", restoreCommand),
		command.In(command.GroupMemory, "log", logCommand),
		command.In(command.GroupMemory, "undo", undoCommand),
		command.In(command.GroupMemory, "topic", topicCommand),
		command.In(command.GroupMemory, "capture", captureCommand),
		command.In(command.GroupMemory, "ingest", ingestCommand),
		command.In(command.GroupWork, "session sessions", sessionCommand),
		command.In(command.GroupWork, "why", whyCommand),
		command.In(command.GroupWork, "prompt prompts", promptCommand),
	}
}

// StoreCommand returns the command store: save under another name, with commands about the store itself.
func StoreCommand(p *command.Program, about ...*cobra.Command) *cobra.Command {
	cmd := saveCommand(p)
	cmd.Use, cmd.Aliases = strings.Replace(cmd.Use, "save", "store", 1), nil
	cmd.Short = "Save a memory, as save does; or move the whole store"
	cmd.Long = "With a text, save a memory: see engram save. The commands below are about the store itself."
	cmd.Example = command.Examples(`engram store 'Auth model' 'Access tokens live 15 minutes'`, "engram store move postgres://me@db.example.org/team")
	cmd.AddCommand(about...)
	return cmd
}

type saveFlags struct {
	typ, scope, topic, session, origin string
	tags, metadata, related            []string
	files                              []string
	importance                         float64
	permanent, merge, secret           bool
}

func saveCommand(p *command.Program) *cobra.Command {
	var f saveFlags
	cmd := &cobra.Command{
		Use:     "save TITLE [CONTENT|-]",
		Aliases: []string{"add", "remember"},
		Short:   "Save a memory, or revise the one with the same topic",
		Long: `Save a memory. A single argument is the content, and the title is derived from it; "-" reads the content from standard
input. If the topic key exists, the memory with that topic is revised and its old text is kept.

With --merge (the default for add and remember), a memory with the same type and title, or a near-duplicate, is updated
instead if the new text contains all that it says; its old text is kept. A mere rewording is only counted. Memories that
may contradict the new one are listed and never merged.

--file anchors the memory to code: a file of a repository or lines of it, written PATH, PATH:3, PATH:3-9, or like a forge
link, PATH#L3-L9; the path is absolute or relative to the current folder. Files that the text names are anchored
automatically. The output lists the anchors, and later searches report whether that code is unchanged, moved, changed or
deleted.`,
		Example: command.Examples(
			`engram save 'Auth model' 'Access tokens live 15 minutes, in an httpOnly cookie' --type decision`,
			`engram save 'Auth model' 'JWT, 5 minutes' --topic architecture/auth-model`,
			`engram save 'Retries' 'Three, then the queue keeps it' --file internal/queue/retry.go:40-62`,
			`git log -1 --format=%B | engram save 'Last change' -`),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error { return save(p, cmd, e, args, f) }),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.typ, "type", "", "`type` of memory: decision, bugfix, pattern, … (default manual)")
	flags.StringVar(&f.scope, "scope", "", "`scope`: project, personal or global (default project)")
	flags.StringVar(&f.topic, "topic", "", "topic `key`; saving under it again revises the memory")
	flags.StringSliceVar(&f.tags, "tags", nil, "tags, `a,b`")
	flags.Float64Var(&f.importance, "importance", engram.DefaultImportance, "from 0 to 1")
	flags.BoolVar(&f.permanent, "permanent", false, "never fade")
	flags.StringArrayVar(&f.metadata, "metadata", nil, "metadata `key=value`, may be repeated; the value may be JSON")
	flags.StringVar(&f.session, "session", "", "session `id` (default: the project's open session)")
	flags.StringArrayVar(&f.files, "file", nil, "code it refers to, `PATH[:FIRST-LAST]`, may be repeated; searches report changes")
	flags.StringArrayVar(&f.related, "related", nil, "`memory` it relates to, may be repeated")
	flags.BoolVar(&f.merge, "merge", false, "update a near-duplicate instead of adding a memory (default for add and remember)")
	flags.BoolVar(&f.secret, "allow-secret", false, "keep secrets in the text instead of redacting them")
	originFlag(cmd, &f.origin)
	command.FlagAlias(cmd, "tags", "tag")
	command.FlagAlias(cmd, "topic", "topic-key")
	return cmd
}

func save(p *command.Program, cmd *cobra.Command, e *engine.Engine, args []string, f saveFlags) error {
	in, err := saveInput(p, cmd, args, f)
	if err != nil {
		return err
	}
	if in.Project, err = p.WriteProject(cmd, e); err != nil {
		return err
	}
	saved, err := e.Save(cmd.Context(), in)
	if err != nil {
		return err
	}
	return answerSaved(p, saved)
}

// answerSaved prints the result of a save; in text its warnings go to stderr.
func answerSaved(p *command.Program, saved remember.SaveResult) error {
	p.WarnBeside(saved.Warnings...)
	return p.Answer(savedOf(saved), func(b *strings.Builder) { writeSaved(b, saved) })
}

func saveInput(p *command.Program, cmd *cobra.Command, args []string, f saveFlags) (remember.SaveInput, error) {
	title, content := "", args[0]
	if len(args) == 2 {
		title, content = args[0], args[1]
	}
	content, err := p.Text(content)
	if err != nil {
		return remember.SaveInput{}, err
	}
	if len(args) == 1 && strings.TrimSpace(content) == "" {
		// The engine would report a missing title, since the title is derived from the content.
		return remember.SaveInput{}, command.Invalidf("content is empty").WithHint("give the text to save")
	}
	in := remember.SaveInput{
		Title: title, Content: content, TopicKey: f.topic, SessionID: f.session, NewSession: true, Directory: p.Dir,
		Type: engram.Type(strings.TrimSpace(f.typ)), Tags: f.tags, Permanent: f.permanent,
		Files: f.files, AllowSecret: f.secret,
	}
	if in.Scope, err = command.ScopeOf(f.scope); err != nil {
		return in, err
	}
	if in.Origin, err = originOf(f.origin); err != nil {
		return in, err
	}
	in.Importance = command.Given(cmd, "importance", f.importance)
	if f.merges(cmd) {
		in.Admit = remember.AdmitMerging
	}
	if in.Metadata, err = command.MetadataOf(f.metadata); err != nil {
		return in, err
	}
	in.Related, err = command.RefsOf(f.related)
	return in, err
}

// merges reports whether the save may update a near-duplicate: --merge, or the default of the alias used.
func (f saveFlags) merges(cmd *cobra.Command) bool {
	if cmd.Flags().Changed("merge") {
		return f.merge
	}
	return cmd.CalledAs() == "add" || cmd.CalledAs() == "remember"
}

type updateFlags struct {
	title, content, typ, scope, topic, moveTo string
	tags, addTags, removeTags, metadata       []string
	files                                     []string
	importance                                float64
	permanent                                 bool
	secret                                    bool
}

func updateCommand(p *command.Program) *cobra.Command {
	var f updateFlags
	cmd := &cobra.Command{
		Use:   "update ID",
		Short: "Change a memory; the old text is kept as a revision",
		Example: command.Examples("engram update 12 --content 'JWT, 5 minutes' --type decision",
			"git show --stat | engram update 12 --content -", "engram update 12 --metadata ticket=ENG-12 --metadata draft="),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			in, err := updateInput(p, cmd, args[0], f)
			if err != nil {
				return err
			}
			m, err := e.Update(cmd.Context(), in)
			if err != nil {
				return err
			}
			p.WarnBeside(m.Warnings...)
			doc := UpdatedDoc{changedOf(e, m.Memory), document.OrEmpty(m.Warnings)}
			return p.Answer(doc, func(b *strings.Builder) { writeChanged(b, m.Memory, "updated") })
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.title, "title", "", "new `title`")
	flags.StringVar(&f.content, "content", "", "new `text`; - reads standard input")
	flags.StringVar(&f.typ, "type", "", "new `type`")
	flags.StringVar(&f.scope, "scope", "", "new `scope`: project, personal or global")
	flags.StringVar(&f.topic, "topic", "", "new topic `key`")
	flags.StringVar(&f.moveTo, "move-to", "", "move it to another `project`")
	flags.StringSliceVar(&f.tags, "tags", nil, "replace all tags by `a,b`")
	flags.StringSliceVar(&f.addTags, "add-tag", nil, "add a `tag`")
	flags.StringSliceVar(&f.removeTags, "remove-tag", nil, "remove a `tag`")
	flags.StringArrayVar(&f.metadata, "metadata", nil, "set `key=value`; an empty value removes the key")
	flags.StringArrayVar(&f.files, "file", nil, "replace the code it refers to: `PATH[:FIRST-LAST]`, may be repeated; empty for none")
	flags.Float64Var(&f.importance, "importance", engram.DefaultImportance, "from 0 to 1")
	flags.BoolVar(&f.permanent, "permanent", false, "never fade; =false to fade again")
	flags.BoolVar(&f.secret, "allow-secret", false, "keep secrets in the new text instead of redacting them")
	return cmd
}

// UpdatedDoc is the answer of `update`.
type UpdatedDoc struct {
	ChangedDoc
	Warnings []string `json:"warnings"`
}

// update updates a memory and prints it; done is the verb of the sentence.
func update(p *command.Program, cmd *cobra.Command, e *engine.Engine, in remember.UpdateInput, done string) error {
	m, err := e.Update(cmd.Context(), in)
	if err != nil {
		return err
	}
	return p.Answer(changedOf(e, m.Memory), func(b *strings.Builder) { writeChanged(b, m.Memory, done) })
}

func updateInput(p *command.Program, cmd *cobra.Command, name string, f updateFlags) (in remember.UpdateInput, err error) {
	if in.Ref, err = engram.ParseRef(name); err != nil {
		return in, err
	}
	in.Origin, in.AllowSecret = engram.OriginHuman, f.secret
	changed := cmd.Flags().Changed
	if changed("content") {
		if f.content, err = p.Text(f.content); err != nil {
			return in, err
		}
		in.Content = &f.content
	}
	if changed("scope") {
		scope, err := command.ScopeOf(f.scope)
		if err != nil {
			return in, err
		}
		in.Scope = &scope
	}
	in.Type = command.Given(cmd, "type", engram.Type(strings.TrimSpace(f.typ)))
	in.Title = command.Given(cmd, "title", f.title)
	in.TopicKey = command.Given(cmd, "topic", f.topic)
	in.Project = command.Given(cmd, "move-to", f.moveTo)
	in.Tags = command.Given(cmd, "tags", f.tags)
	in.Importance = command.Given(cmd, "importance", f.importance)
	in.Permanent = command.Given(cmd, "permanent", f.permanent)
	in.Files = command.Given(cmd, "file", slices.DeleteFunc(f.files, func(path string) bool { return path == "" }))
	in.AddTags, in.RemoveTags = f.addTags, f.removeTags
	in.Metadata, err = command.MetadataOf(f.metadata)
	for key, value := range in.Metadata {
		if value == "" {
			in.Metadata[key] = nil // removes the key
		}
	}
	return in, err
}

func captureCommand(p *command.Program) *cobra.Command {
	var session, source string
	cmd := &cobra.Command{
		Use:   "capture [FILE|-]",
		Short: "Save the learnings listed in a text",
		Long: `Save each item of the last "## Key Learnings:" section of a text as a memory. Items that are already known are only
counted. The text comes from a file or from standard input.`,
		Example: command.Examples("engram capture notes.md", "agent --print | engram capture --source agent"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			return capture(p, cmd, e, command.Argument(args, 0, "-"), session, source)
		}),
	}
	cmd.Flags().StringVar(&session, "session", "", "session `id` (default: the project's open session)")
	cmd.Flags().StringVar(&source, "source", "cli", "where the text came from, one `word`")
	return cmd
}

func capture(p *command.Program, cmd *cobra.Command, e *engine.Engine, name, session, source string) error {
	var err error
	in := remember.CaptureInput{SessionID: session, NewSession: true, Directory: p.Dir, Source: source}
	if in.Content, err = fileText(p, name); err != nil {
		return err
	}
	if in.Project, err = p.WriteProject(cmd, e); err != nil {
		return err
	}
	res, err := e.Capture(cmd.Context(), in)
	if err != nil {
		return err
	}
	p.WarnAll(res.Warnings)
	doc := CapturedDoc{res.Extracted, res.Saved, res.Duplicates, command.MemoriesOf(e, res.Memories)}
	return p.Answer(doc, func(b *strings.Builder) {
		fmt.Fprintf(b, "%s found in the text: %d saved, %d already known\n", command.Count(res.Extracted, "learning", "learnings"), res.Saved, res.Duplicates)
		for _, m := range res.Memories {
			writeLine(b, m, engram.Note{})
		}
	})
}

// fileText reads a text file, or stdin for "-". The cap lies above the engine's limit, so that the engine
// names the limit.
func fileText(p *command.Program, name string) (string, error) {
	if name == "-" {
		return p.Text("-")
	}
	f, err := p.FileReader(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 16*engram.MaxContent))
	if err != nil {
		return "", engram.Errorf(engram.CodeUnavailable, "cannot read file %s", name).WithCause(err)
	}
	return string(data), nil
}

func markCommand(p *command.Program) *cobra.Command {
	var permanent bool
	cmd := &cobra.Command{
		Use:   "mark ID [--permanent[=false]]",
		Short: "Keep a memory from fading, or let it fade again",
		Long: `Keep a memory from fading, or let it fade again: each call toggles it; --permanent and --permanent=false set it. A
permanent memory has the tag "permanent"; adding or removing that tag has the same effect.`,
		Example: command.Examples("engram mark 12", "engram mark 12 --permanent=false"),
		RunE: p.WithRef(func(cmd *cobra.Command, e *engine.Engine, ref engram.Ref, args []string) error {
			in := remember.UpdateInput{Ref: ref, Mark: !cmd.Flags().Changed("permanent"), Permanent: command.Given(cmd, "permanent", permanent)}
			return update(p, cmd, e, in, "marked")
		}),
	}
	cmd.Flags().BoolVar(&permanent, "permanent", false, "never fade")
	return cmd
}

func tagCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "tag ID add|remove|list [TAG…]",
		Short:   "Add, remove or list the tags of a memory",
		Long:    "Add, remove or list the tags of a memory. The action may also come first: tag add ID TAG.",
		Example: command.Examples("engram tag 12 add security api", "engram tag 12 remove api", "engram tag 12 list"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			name, action := args[0], args[1]
			if isTagAction(name) && !isTagAction(action) {
				name, action = action, name
			}
			ref, err := engram.ParseRef(name)
			if err != nil {
				return err
			}
			return tag(p, cmd, e, ref, action, args[2:])
		}),
	}
}

func isTagAction(s string) bool { return s == "add" || s == "remove" || s == "list" }

func tag(p *command.Program, cmd *cobra.Command, e *engine.Engine, ref engram.Ref, action string, tags []string) error {
	switch {
	case !isTagAction(action):
		return command.Invalidf("unknown action %q", action).WithHint("use add, remove or list; to add it: {tag %s add %s}", strings.TrimPrefix(ref.String(), "#"), action)
	case action == "list" && len(tags) > 0:
		return command.Invalidf("tag list takes no tags").WithHint("usage: %s", cmd.UseLine())
	case action == "list":
		return listTags(p, cmd, e, ref)
	case len(tags) == 0:
		return command.Invalidf("tag %s needs a tag", action).WithHint("try: {tag 12 %s security}", action)
	case action == "add":
		return update(p, cmd, e, remember.UpdateInput{Ref: ref, AddTags: tags}, "tagged")
	}
	return update(p, cmd, e, remember.UpdateInput{Ref: ref, RemoveTags: tags}, "untagged")
}

func listTags(p *command.Program, cmd *cobra.Command, e *engine.Engine, ref engram.Ref) error {
	d, err := e.Get(cmd.Context(), ref)
	if err != nil {
		return err
	}
	return p.Answer(changedOf(e, d.Memory), func(b *strings.Builder) { writeTags(b, d.Memory) })
}

// TopicDoc is the answer of `topic --json`.
type TopicDoc struct {
	TopicKey string `json:"topic_key"`
}

func topicCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "topic TYPE TITLE [CONTENT]",
		Short:   "Suggest a topic key for a memory",
		Example: command.Examples(`engram topic decision 'Auth model'`, `engram save 'Auth model' 'JWT' --topic "$(engram topic decision 'Auth model')"`),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			key, err := e.SuggestTopic(engram.Type(args[0]), args[1], command.Argument(args, 2, ""))
			if err != nil {
				return err
			}
			return p.Answer(TopicDoc{key}, func(b *strings.Builder) { fmt.Fprintln(b, render.Plain(key)) })
		}),
	}
}

// originFlag adds --origin for scripts that write for an agent: a person's input is trusted, an agent's must
// not pass for it.
func originFlag(cmd *cobra.Command, into *string) {
	cmd.Flags().StringVar(into, "origin", "", "`origin`: human, agent or tool (default human)")
}

// originOf parses the value of --origin.
func originOf(s string) (engram.Origin, error) {
	switch o := engram.Origin(strings.ToLower(strings.TrimSpace(s))); o {
	case "":
		return engram.OriginHuman, nil
	case engram.OriginHuman, engram.OriginAgent, engram.OriginTool:
		return o, nil
	}
	return "", command.Invalidf("unknown origin %q", s).WithHint("use human, agent or tool")
}

// savedOf is the answer of `save` and `session summary`.
func savedOf(s remember.SaveResult) document.Saved {
	d := document.Saved{Action: string(s.Action), Reason: s.Reason, SuggestedTopic: s.SuggestedTopic(), Warnings: document.OrEmpty(s.Warnings),
		Memory: document.MemoryOf(s.Memory, s.State), Candidates: document.Each(s.Candidates, candidateOf),
		Related: document.Each(s.Related, func(n search.Near) document.Related { return document.RelatedOf(n.Memory, n.Cosine) })}
	if s.MergedWith != nil {
		d.MergedWith = new(document.NamedOf(*s.MergedWith))
	}
	return d
}

func candidateOf(c relate.Candidate) document.Candidate {
	return document.CandidateOf(c.Memory, c.Relation, c.Score, c.Reason)
}

// ChangedDoc is the answer of `mark` and `tag`, and part of that of `update`.
type ChangedDoc struct {
	Memory document.Memory `json:"memory"`
}

func changedOf(e *engine.Engine, m engram.Memory) ChangedDoc {
	return ChangedDoc{document.MemoryOf(m, e.StateOf(m))}
}

// CapturedDoc is the answer of `capture`.
type CapturedDoc struct {
	Extracted  int               `json:"extracted"`
	Saved      int               `json:"saved"`
	Duplicates int               `json:"duplicates"`
	Memories   []document.Memory `json:"memories"` // saved memories
}

func writeSaved(b *strings.Builder, s remember.SaveResult) {
	m := s.Memory
	fmt.Fprintf(b, "Memory saved: %s\n", command.MemoryName(m))
	switch s.Action {
	case ledger.ActionRevised:
		fmt.Fprintf(b, "  revision %d of topic:%s; engram get %d shows the earlier text\n", m.RevisionCount, render.Line(m.TopicKey, 0), m.Num)
	case ledger.ActionRepeated:
		fmt.Fprintf(b, "  already known; now seen %s\n", command.Count(m.DuplicateCount, "time", "times"))
	case ledger.ActionMerged:
		fmt.Fprintf(b, "  merged into it: %s; engram get %d shows the earlier text\n", s.Reason, m.Num)
	}
	writeAnchored(b, m)
	if topic := s.SuggestedTopic(); topic != "" {
		fmt.Fprintf(b, "Suggested topic_key: %s\n", render.Line(topic, 0))
	}
	for _, n := range s.Related {
		fmt.Fprintf(b, "Similar to %s\n", command.MemoryName(n.Memory))
	}
	for _, c := range s.Candidates {
		fmt.Fprintf(b, "May contradict %s: %s\n", command.MemoryName(c.Memory), render.Line(c.Reason, 0))
		fmt.Fprintf(b, "  to judge: engram conflicts judge %s VERDICT\n", c.Relation.ID)
	}
}

func writeAnchored(b *strings.Builder, m engram.Memory) {
	for _, l := range render.AnchoredTo(m.Anchors) {
		fmt.Fprintln(b, l)
	}
}

func writeLine(b *strings.Builder, m engram.Memory, note engram.Note) {
	fmt.Fprintf(b, "  #%d [%s] %s\n", m.Num, render.Line(string(m.Type), 0), render.ListItem(m, note, command.ListedRunes))
}

func writeChanged(b *strings.Builder, m engram.Memory, done string) {
	if done == "marked" {
		if done = "may fade again"; m.Permanent {
			done = "marked permanent"
		}
	}
	fmt.Fprintf(b, "Memory %s: %s\n", done, command.MemoryName(m))
	if done == "tagged" || done == "untagged" {
		writeTags(b, m)
	}
	if done == "updated" {
		writeAnchored(b, m)
	}
}

func writeTags(b *strings.Builder, m engram.Memory) {
	if len(m.Tags) == 0 {
		fmt.Fprintln(b, "No tags.")
		return
	}
	for _, t := range m.Tags {
		fmt.Fprintln(b, render.Line(t, 0))
	}
}
