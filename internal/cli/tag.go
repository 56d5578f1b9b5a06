package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

func (p *program) tagCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "tag ID add|remove|list [TAG…]",
		Short:   "Add, remove or list the tags of a memory",
		Long:    "Add, remove or list the tags of a memory. The action may also come first: tag add ID TAG.",
		Example: examples("engram tag 12 add security api", "engram tag 12 remove api", "engram tag 12 list"),
		Args:    between(2, -1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			name, action := args[0], args[1]
			if isTagAction(name) && !isTagAction(action) {
				name, action = action, name
			}
			ref, err := engram.ParseRef(name)
			if err != nil {
				return err
			}
			return p.tag(cmd, e, ref, action, args[2:])
		}),
	}
}

func isTagAction(s string) bool { return s == "add" || s == "remove" || s == "list" }

func (p *program) tag(cmd *cobra.Command, e *engine.Engine, ref engram.Ref, action string, tags []string) error {
	switch {
	case !isTagAction(action):
		return invalidf("unknown action %q", action).WithHint("use add, remove or list; to add it: {tag %s add %s}", strings.TrimPrefix(ref.String(), "#"), action)
	case action == "list" && len(tags) > 0:
		return invalidf("tag list takes no tags").WithHint("usage: %s", cmd.UseLine())
	case action == "list":
		return p.listTags(cmd, e, ref)
	case len(tags) == 0:
		return invalidf("tag %s needs a tag", action).WithHint("for example: {tag 12 %s security}", action)
	case action == "add":
		return p.update(cmd, e, engine.UpdateInput{Ref: ref, AddTags: tags}, "tagged")
	}
	return p.update(cmd, e, engine.UpdateInput{Ref: ref, RemoveTags: tags}, "untagged")
}

func (p *program) listTags(cmd *cobra.Command, e *engine.Engine, ref engram.Ref) error {
	d, err := e.Get(cmd.Context(), ref)
	if err != nil {
		return err
	}
	return p.answer(changedOf(e, d.Memory), func(b *strings.Builder) { writeTags(b, d.Memory) })
}
