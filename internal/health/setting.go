package health

import "fmt"

func judgeSettings(f Facts, p Policy, why string) Check {
	var notes []string
	var findings []Finding
	ignored := 0
	for _, s := range f.Settings {
		found := Finding{Check: SettingsInForce, Severity: Info, Reason: "setting_note", Message: s.Text, Why: why, Evidence: Evidence{},
			Next: "Nothing to do, if that is what was meant."}
		if s.Ignored {
			ignored++
			found.Severity, found.Reason = Warns, "setting_ignored"
			found.Next = "Correct it, or remove it where it stands."
		}
		notes = append(notes, s.Text)
		findings = append(findings, found)
	}
	e := Evidence{"notes": append([]string{}, notes...)}
	all := Finding{Check: SettingsInForce, Why: why, Evidence: e}
	switch {
	case ignored > 0:
		all.Reason, all.Message = "settings_ignored", fmt.Sprintf("%d of the settings do not count.", ignored)
		if ignored == 1 {
			all.Message = "One of the settings does not count."
		}
		all.Next = "Correct each where it stands, or remove it; engram config list shows what is in force."
		c := bad(Warning, all)
		c.Findings = findings[:min(len(findings), p.Examples)]
		return c
	case len(notes) > 0:
		all.Severity, all.Reason, all.Message = Info, "settings_noted", notes[0]
		all.Next = "Nothing to do, if that is what was meant."
		return Check{Result: OK, Finding: all, Findings: findings}
	}
	return fine(SettingsInForce, why, e)
}
