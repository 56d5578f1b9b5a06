package cli

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// saveFlags are what `save` may say beside title and content.
type saveFlags struct {
	typ, scope, topic, session, origin string
	tags, metadata, related            []string
	files                              []string
	importance                         float64
	permanent, merge, secret           bool
}

func (p *program) saveCommand() *cobra.Command {
	var f saveFlags
	cmd := &cobra.Command{
		Use:     "save TITLE [CONTENT|-]",
		Aliases: []string{"add", "store", "remember"},
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
		Example: examples(
			`engram save 'Auth model' 'Access tokens live 15 minutes, in an httpOnly cookie' --type decision`,
			`engram save 'Auth model' 'JWT, 5 minutes' --topic architecture/auth-model`,
			`engram save 'Retries' 'Three, then the queue keeps it' --file internal/queue/retry.go:40-62`,
			`git log -1 --format=%B | engram save 'Last change' -`),
		Args: between(1, 2),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error { return p.save(cmd, e, args, f) }),
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
	alsoFlag(cmd, "tags", "tag")
	alsoFlag(cmd, "topic", "topic-key")
	return cmd
}

func (p *program) save(cmd *cobra.Command, e *engine.Engine, args []string, f saveFlags) error {
	in, err := p.saveInput(cmd, args, f)
	if err != nil {
		return err
	}
	if in.Project, err = p.writeProject(cmd, e); err != nil {
		return err
	}
	saved, err := e.Save(cmd.Context(), in)
	if err != nil {
		return err
	}
	return p.answerSaved(saved)
}

// answerSaved prints what a save did; its warnings go to stderr in text.
func (p *program) answerSaved(saved engine.SaveResult) error {
	if !p.json {
		p.warnAll(saved.Warnings)
	}
	return p.answer(savedOf(saved), func(b *strings.Builder) { writeSaved(b, saved) })
}

func (p *program) saveInput(cmd *cobra.Command, args []string, f saveFlags) (engine.SaveInput, error) {
	title, content := "", args[0]
	if len(args) == 2 {
		title, content = args[0], args[1]
	}
	content, err := p.text(content)
	if err != nil {
		return engine.SaveInput{}, err
	}
	if len(args) == 1 && strings.TrimSpace(content) == "" {
		// The engine would miss the title, which is made of it.
		return engine.SaveInput{}, invalidf("content is empty").WithHint("give the text to remember")
	}
	in := engine.SaveInput{
		Title: title, Content: content, TopicKey: f.topic, SessionID: f.session, NewSession: true, Directory: p.Dir,
		Type: engram.Type(strings.TrimSpace(f.typ)), Tags: f.tags, Permanent: f.permanent,
		Files: f.files, AllowSecret: f.secret,
	}
	if in.Scope, err = scopeOf(f.scope); err != nil {
		return in, err
	}
	if in.Origin, err = originOf(f.origin); err != nil {
		return in, err
	}
	if cmd.Flags().Changed("importance") {
		in.Importance = &f.importance
	}
	if f.merges(cmd) {
		in.Admit = engine.AdmitMerging
	}
	if in.Metadata, err = metadataOf(f.metadata); err != nil {
		return in, err
	}
	in.Related, err = refsOf(f.related)
	return in, err
}

// merges reports whether a near-duplicate may take the memory up: as --merge says, else as
// the name promises by which the command was called.
func (f saveFlags) merges(cmd *cobra.Command) bool {
	if cmd.Flags().Changed("merge") {
		return f.merge
	}
	return cmd.CalledAs() == "add" || cmd.CalledAs() == "remember"
}

// scopeOf reads a scope; "" stays "". Unlike the agents' dialects, a person's
// typing error is an error.
func scopeOf(s string) (engram.Scope, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	if s != "" && string(engram.ParseScope(s)) != s {
		return "", invalidf("unknown scope %q", s).WithHint("project, personal or global")
	}
	return engram.Scope(s), nil
}

// metadataOf reads key=value pairs. A value that is JSON (a number, true, a list)
// is taken as such, anything else as text. Nil when there are none.
func metadataOf(pairs []string) (map[string]any, error) {
	var m map[string]any
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			return nil, invalidf("metadata %q is not key=value", pair).WithHint("for example --metadata ticket=ENG-12")
		}
		if m == nil {
			m = map[string]any{}
		}
		var parsed any
		if json.Unmarshal([]byte(value), &parsed) != nil || parsed == nil {
			parsed = value
		}
		m[key] = parsed
	}
	return m, nil
}

// refsOf reads how memories are named.
func refsOf(names []string) ([]engram.Ref, error) {
	refs := make([]engram.Ref, len(names))
	for i, name := range names {
		var err error
		if refs[i], err = engram.ParseRef(name); err != nil {
			return nil, err
		}
	}
	return refs, nil
}
