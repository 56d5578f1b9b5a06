package health

import "strings"

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
