package health

import "fmt"

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
