package health

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

func judgeSwitch(f Facts, p Policy, why string) Check {
	s := f.Switch
	e := Evidence{"everything": s.Everything, "since": timestamp(s.Since), "projects": append([]string{}, s.Projects...)}
	found := Finding{Check: AgentsSwitched, Why: why, Evidence: e, Confirm: true}
	switch {
	case s.Broken != "":
		e["error"] = s.Broken
		found.Reason, found.Message = "switch_unreadable", "Cannot read what agents are switched off for, so they are off for everything: "+strings.TrimSuffix(s.Broken, ".")+"."
		found.Next = "Run engram on, then switch projects off again by name."
		return bad(Blocked, found)
	case s.Everything:
		found.Reason, found.Message = "agents_switched_off", "Agents are switched off: hooks are silent, and MCP tools answer that they are off."
		found.Next = "Run engram on when agents should remember again."
		return bad(Warning, found)
	case len(s.Projects) > 0:
		found.Severity, found.Reason, found.Confirm = Info, "agents_switched_off_by_project", false
		found.Message = "Agents are switched off for " + strings.Join(s.Projects, ", ") + "."
		found.Next = "Run engram on --project NAME when agents should remember it again."
		return Check{Result: OK, Finding: found}
	}
	return fine(AgentsSwitched, why, e)
}

// FewLate is the number of late hooks a day that is normal: after sleep of the machine, or an update.
const FewLate = 4

func judgeHooks(f Facts, p Policy, why string) Check {
	h := f.Hooks
	e := Evidence{"late": h.Late, "last": timestamp(h.Last), "hook_within_ms": h.Within.Milliseconds()}
	if h.Late <= FewLate {
		return fine(HooksInTime, why, e)
	}
	within := ""
	if h.Within > 0 {
		within = fmt.Sprintf(", which is %d ms", h.Within.Milliseconds())
	}
	return bad(Warning, Finding{Check: HooksInTime, Reason: "hooks_out_of_time", Why: why, Evidence: e, Confirm: true,
		Message: fmt.Sprintf("In the last 24 hours %d events of agents ran out of the time of hook_within%s, and something was left out; hook.log names them.", h.Late, within),
		Next:    "If the machine is often that busy, give hooks more time: engram config set hook_within 500."})
}

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

func judgeSettings(f Facts, p Policy, why string) Check {
	var notes []string
	var findings []Finding
	ignored := 0
	for _, s := range f.Settings {
		found := Finding{Check: SettingsInForce, Severity: Info, Reason: "setting_note", Message: s.Text, Why: why, Evidence: Evidence{},
			Next: "Nothing to do if this is intended."}
		if s.Ignored {
			ignored++
			found.Severity, found.Reason = Warns, "setting_ignored"
			found.Next = "Correct it or remove it."
		}
		notes = append(notes, s.Text)
		findings = append(findings, found)
	}
	e := Evidence{"notes": append([]string{}, notes...)}
	all := Finding{Check: SettingsInForce, Why: why, Evidence: e}
	switch {
	case ignored > 0:
		all.Reason, all.Message = "settings_ignored", fmt.Sprintf("%d settings are ignored.", ignored)
		if ignored == 1 {
			all.Message = "One setting is ignored."
		}
		all.Next = "Correct or remove each; engram config list shows the values in force."
		c := bad(Warning, all)
		c.Findings = findings[:min(len(findings), p.Examples)]
		return c
	case len(notes) > 0:
		all.Severity, all.Reason, all.Message = Info, "settings_noted", notes[0]
		all.Next = "Nothing to do if this is intended."
		return Check{Result: OK, Finding: all, Findings: findings}
	}
	return fine(SettingsInForce, why, e)
}
