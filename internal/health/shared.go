package health

import (
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Shared compares the list of chunks in the current repository with the chunks.
type Shared struct {
	Folder string              // .engram of the repository; "" for none
	Faults []engram.ImportNote // of the list, entries without a file, files without an entry
	Repair bool                // rebuilding the list repairs them
}

func judgeShared(f Facts, p Policy, why string) Check {
	s := f.Shared
	e := Evidence{"folder": s.Folder, "faults": len(s.Faults)}
	if len(s.Faults) == 0 {
		return fine(SharedManifest, why, e)
	}
	found := Finding{Check: SharedManifest, Reason: "shared_manifest_faulty", Why: why, Evidence: e,
		Next: "engram doctor --fix or engram sync --import rebuilds the list from the chunks; run git add " + s.Folder + " afterwards."}
	if !s.Repair {
		found.Next = "Check " + s.Folder + " by hand; git log shows its author."
	}
	var cases []Finding
	for _, n := range s.Faults[:min(len(s.Faults), p.Examples)] {
		cases = append(cases, Finding{Check: SharedManifest, Severity: Warns, Reason: found.Reason, Message: n.Item + ": " + n.Reason + ".",
			Why: why, Evidence: Evidence{"item": n.Item}, Next: found.Next})
	}
	found.Message = "The list of chunks in .engram does not match the chunks: " + cases[0].Message
	if more := len(s.Faults) - 1; more > 0 {
		found.Message += fmt.Sprintf(" And %s.", text.Counted(more, "other fault", "other faults"))
	}
	c := bad(Warning, found)
	c.Findings = cases
	return c
}
