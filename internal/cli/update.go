package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// updateFlags are what `update` may change.
type updateFlags struct {
	title, content, typ, scope, topic, moveTo string
	tags, addTags, removeTags, metadata       []string
	files                                     []string
	importance                                float64
	permanent                                 bool
	secret                                    bool
}

func (p *program) updateCommand() *cobra.Command {
	var f updateFlags
	cmd := &cobra.Command{
		Use:   "update ID",
		Short: "Change a memory; the old text is kept as a revision",
		Example: examples("engram update 12 --content 'JWT, 5 minutes' --type decision",
			"git show --stat | engram update 12 --content -", "engram update 12 --metadata ticket=ENG-12 --metadata draft="),
		Args: between(1, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			in, err := p.updateInput(cmd, args[0], f)
			if err != nil {
				return err
			}
			m, err := e.Update(cmd.Context(), in)
			if err != nil {
				return err
			}
			if !p.json {
				p.warnAll(m.Warnings)
			}
			doc := updatedDoc{changedOf(e, m.Memory), document.OrEmpty(m.Warnings)}
			return p.answer(doc, func(b *strings.Builder) { writeChanged(b, m.Memory, "updated") })
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

// updatedDoc is the answer of `update`.
type updatedDoc struct {
	changedDoc
	Warnings []string `json:"warnings"`
}

// update runs the verb and prints the memory; done is what the text says was done.
func (p *program) update(cmd *cobra.Command, e *engine.Engine, in engine.UpdateInput, done string) error {
	m, err := e.Update(cmd.Context(), in)
	if err != nil {
		return err
	}
	return p.answer(changedOf(e, m.Memory), func(b *strings.Builder) { writeChanged(b, m.Memory, done) })
}

func (p *program) updateInput(cmd *cobra.Command, name string, f updateFlags) (in engine.UpdateInput, err error) {
	if in.Ref, err = engram.ParseRef(name); err != nil {
		return in, err
	}
	in.Origin, in.AllowSecret = engram.OriginHuman, f.secret
	changed := cmd.Flags().Changed
	if changed("content") {
		if f.content, err = p.text(f.content); err != nil {
			return in, err
		}
		in.Content = &f.content
	}
	if changed("scope") {
		scope, err := scopeOf(f.scope)
		if err != nil {
			return in, err
		}
		in.Scope = &scope
	}
	if changed("type") {
		typ := engram.Type(strings.TrimSpace(f.typ))
		in.Type = &typ
	}
	in.Title = given(changed("title"), f.title)
	in.TopicKey = given(changed("topic"), f.topic)
	in.Project = given(changed("move-to"), f.moveTo)
	in.Tags = given(changed("tags"), f.tags)
	in.Importance = given(changed("importance"), f.importance)
	in.Permanent = given(changed("permanent"), f.permanent)
	in.Files = given(changed("file"), slices.DeleteFunc(f.files, func(path string) bool { return path == "" }))
	in.AddTags, in.RemoveTags = f.addTags, f.removeTags
	in.Metadata, err = metadataOf(f.metadata)
	for key, value := range in.Metadata {
		if value == "" {
			in.Metadata[key] = nil // removes the key
		}
	}
	return in, err
}

// given is a pointer to v when a flag was given, else nil.
func given[T any](changed bool, v T) *T {
	if !changed {
		return nil
	}
	return &v
}
