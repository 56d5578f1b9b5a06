package document

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// WaitingText is one more text of something that waits.
type WaitingText struct {
	What string `json:"what"` // summary, tags, metadata, text 1 before, evidence and the like
	Text string `json:"text"`
}

// WaitingTool is what the name of the tool is called that a memory was taken from.
const WaitingTool = "tool name"

// moreOf are the texts that would come in with a record, but for its title and content:
// whoever takes it in is to have seen them all.
func moreOf(r engram.Record) []WaitingText {
	more := []WaitingText{}
	put := func(what, text string) {
		if text != "" {
			more = append(more, WaitingText{what, text})
		}
	}
	switch {
	case r.Memory != nil:
		m := r.Memory.Memory
		put("summary", m.Summary)
		put("topic", m.TopicKey)
		put(WaitingTool, m.ToolName)
		put("tags", strings.Join(tagsOf(r), ", "))
		if len(m.Metadata) > 0 {
			b, _ := json.Marshal(m.Metadata) // it came out of JSON
			put("metadata", string(b))
		}
		for _, a := range m.Anchors {
			put("anchor", a.Repository+" "+a.Path)
		}
		for i, rev := range r.Memory.Revisions {
			put(fmt.Sprintf("text %d before", i+1), strings.TrimSpace(rev.Title+"\n"+rev.Content))
		}
	case r.Session != nil:
		put("folder", r.Session.Directory)
	case r.Relation != nil:
		rel := r.Relation.Relation
		put("evidence", rel.Evidence)
		put("by", strings.TrimSpace(rel.Actor+" "+rel.ActorKind+" "+rel.Model))
	}
	return more
}

// tagsOf are the tags of a memory, with those that only its lineage has.
func tagsOf(r engram.Record) []string {
	all := slices.Clone(r.Memory.Memory.Tags)
	if r.Lineage != nil {
		all = append(all, slices.Collect(maps.Keys(r.Lineage.Sets))...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
