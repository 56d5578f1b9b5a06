package httpapi

import (
	"fmt"
	"net/http"

	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// memoryBody is a memory to save.
type memoryBody struct {
	document.Draft
	Merge bool `json:"merge" default:"false" doc:"a near-duplicate may take it up"`
}

func (a *API) saveMemory(q request, in memoryBody) (reply, error) {
	save, err := saveInput(in.Draft, in.Merge)
	if err != nil {
		return reply{}, err
	}
	res, err := a.Engine.Save(q.Context(), save)
	rep := reply{body: savedOf(res), location: fmt.Sprintf("/memories/%d", res.Memory.Num)}
	if res.Action == engine.ActionInserted {
		rep.status = http.StatusCreated
	}
	return rep, err
}

// batchBody is several memories to save.
type batchBody struct {
	Memories []document.Draft `json:"memories" required:"true" doc:"1 to 100"`
	Merge    bool             `json:"merge" default:"false" doc:"near-duplicates may take them up"`
}

// batchDoc says what became of each memory.
type batchDoc struct {
	Saved []document.Saved `json:"saved"` // in the order of the memories
}

// saveMemories saves several, all or none.
func (a *API) saveMemories(q request, in batchBody) (reply, error) {
	all, err := a.Engine.SaveBatchOf(q.Context(), len(in.Memories), func(i int) (engine.SaveInput, error) {
		return saveInput(in.Memories[i], in.Merge)
	})
	rep := reply{body: batchDoc{document.Each(all, savedOf)}}
	for _, res := range all {
		if res.Action == engine.ActionInserted {
			rep.status = http.StatusCreated
		}
	}
	return rep, err
}

// saveInput is what d asks for; merge lets another memory take it up.
func saveInput(d document.Draft, merge bool) (engine.SaveInput, error) {
	in := engine.SaveInput{Title: d.Title, Content: d.Content, Type: d.Type, Project: d.Project, TopicKey: d.TopicKey,
		SessionID: d.SessionID, NewSession: true, ToolName: d.ToolName, Tags: d.Tags, Metadata: d.Metadata,
		Importance: d.Importance, Permanent: d.Permanent, Files: d.Files}
	if merge {
		in.Admit = engine.AdmitMerging
	}
	var err error
	if in.Scope, err = knownScope(d.Scope); err != nil {
		return in, err
	}
	in.Related, err = refs(d.Related)
	return in, err
}

// savedOf is the document of what a save did.
func savedOf(s engine.SaveResult) document.Saved {
	d := document.Saved{Action: string(s.Action), Reason: s.Reason, SuggestedTopic: s.SuggestedTopic, Warnings: document.OrEmpty(s.Warnings),
		Memory: document.MemoryOf(s.Memory, s.State), Candidates: document.Each(s.Candidates, candidateOf), Related: document.Each(s.Related, tiedOf)}
	if s.MergedWith != nil {
		d.MergedWith = new(document.NamedOf(*s.MergedWith))
	}
	return d
}

func candidateOf(c engine.Candidate) document.Candidate {
	return document.CandidateOf(c.Memory, c.Relation, c.Score, c.Reason)
}

func tiedOf(n engine.Near) document.Tied { return document.TiedOf(n.Memory, n.Cosine) }
