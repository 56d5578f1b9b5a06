package suspicion

import "strings"

// What protects people is switched off, or nobody is asked.

// unaskedByAgent: an act of an agent that nobody is asked about; a program's own dialogues and
// what is only read are none.
func (c scene) unaskedByAgent() bool {
	if c.small() {
		return false
	}
	if c.has&(theAgent|theYou) != 0 {
		return true
	}
	i := c.at(0, unasked)
	act := c.at(0, toRun|toWipe|toLift|toUse|toGrant|pushes)
	return act >= 0 && c.tokens[act].form == plain && act != i && !c.says("installer", "dialog", "button", "draft", "form", "widget", "script")
}

// leaveGiven: leave that was given before, for more than one thing.
func (c scene) leaveGiven() bool {
	i := c.at(0, consents)
	for _, j := range []int{i - 1, i - 2, i - 3} {
		if j >= 0 && c.tokens[j].means&negates != 0 {
			return false
		}
	}
	if c.sentence.has&when != 0 && c.has&each == 0 || c.says("each", "needs", "requires", "require", "checks", "checked") {
		return false
	}
	return c.says("granted", "gave", "given", "has", "have", "already", "permitted", "full", "permanent", "blanket", "dio", "donne", "ha", "permiso", "hat", "consented", "pre")
}

// leaveNeedless: "no approval is needed any more for deletes".
func (c scene) leaveNeedless() bool {
	return c.says("needed", "required", "necessary", "needs") && !c.says("not", "only", "else")
}

// authorises: "I authorise you to …", "you are authorised to run …".
func (c scene) authorises() bool {
	for i := range c.tokens {
		w := c.word(i)
		switch {
		case strings.HasPrefix(w, "authori") && i > 0 && c.word(i-1) == "i" && i+1 < len(c.tokens) && c.word(i+1) == "you":
			return true
		case strings.HasPrefix(w, "authori") && i > 1 && c.word(i-1) == "are" && c.word(i-2) == "you":
			return c.any(i, len(c.as), toRun|toWipe|toLift|pushes|toSend|actions)
		case w == "permitted" && i > 1 && c.word(i-1) == "are" && c.word(i-2) == "you":
			return c.any(i, len(c.as), toRun|toWipe|toLift|pushes|toSend|actions)
		case w == "permission" && i > 0 && (c.word(i-1) == "full" || c.word(i-1) == "blanket"):
			return true
		}
	}
	return false
}

// lifts: the verb is told to somebody, and what it switches off stands near it.
func (c scene) lifts() bool {
	for i := range c.as {
		if c.as[i]&(toLift|toWipe) == 0 || c.tokens[i].form == past {
			continue
		}
		if c.any(i-2, i+9, guards) && (!c.removes(i) || c.guardOfTwo()) && !c.says("flag", "flaky", "dialog", "screen", "page", "button", "message") {
			return true
		}
	}
	return false
}

// removes reports a verb that is used of any thing; what it removes must be a guard by name.
func (c scene) removes(i int) bool {
	switch c.word(i) {
	case "remove", "delete", "drop", "strip", "clear", "add", "omit", "truncate":
		return true
	}
	return false
}

// guardOfTwo reports a guard that is called by two words, such as signature verification.
func (c scene) guardOfTwo() bool {
	for i := range c.as {
		if c.as[i]&guards != 0 {
			switch c.word(i) {
			case "permission", "permissions", "protection", "protections", "scanner", "authentication", "authorization", "sandbox", "confirmation", "confirmations", "approval", "approvals", "moderation", "antivirus":
			default:
				return true
			}
		}
	}
	return false
}

// asAdmin: "add x as an administrator of …", "give x owner rights on …".
func (c scene) asAdmin() bool {
	i := c.at(0, toGrant|toPut)
	switch c.word(i) {
	case "add", "invite", "promote", "make":
		return c.says("as", "administrator") && !c.says("codeowners")
	}
	return c.as[i]&toGrant != 0 && c.says("rights", "access", "permissions", "owner", "admin")
}

// opensSettings: what is changed is a setting of an agent, so that it asks less.
func (c scene) opensSettings() bool {
	if c.says("mcp") {
		return c.has&stranger != 0 || c.has&toGrant != 0 && c.says("trust")
	}
	if !c.says("bypasspermissions", "defaultmode", "file", "approve", "autoapprove", "autoapproval", "yolo", "hookspath") && !(c.has&(theAgent) != 0 || c.says("settings", "editor", "bash", "mcp")) {
		return false
	}
	return !c.says("terraform", "remove", "disable", "off", "rate", "egress", "ingress", "ip", "ips", "cors", "domain", "domains")
}

// makesPublic: "make the repository public".
func (c scene) makesPublic() bool {
	i := c.at(0, toGrant)
	w := c.word(i)
	return w == "make" && c.any(i, i+5, works) && c.any(i, i+6, public) && !c.says("method", "field", "function", "api")
}

// allOff: several protections are said to be off at once, and for good. One of them is off on
// many a machine.
func (c scene) allOff() bool {
	n := 0
	for i := range c.as {
		if c.as[i]&(guards|bounds) != 0 {
			n++
		}
	}
	return n > 1 && (c.says("further", "permanently") || c.has&each != 0) && c.says("off", "disabled", "lifted")
}

// small reports that leave is given for what harms nobody, such as a formatter or small
// changes, or that it has an end: all else needs a confirmation.
func (c scene) small() bool {
	if c.says("else") && c.says("needs", "requires") {
		return true
	}
	return c.says("small", "minor", "trivial", "formatter", "linter", "lint", "typos", "read-only", "readonly") && c.has&(toWipe|toLift|wide|outside|keys) == 0
}

// goAhead: somebody is said to have agreed, and "go ahead".
func (c scene) goAhead() bool {
	if !c.says("ahead") || !c.says("signed", "approved", "agreed", "ok", "okayed", "cleared") {
		return false
	}
	for _, t := range c.tokens {
		if t.means&toLift != 0 && t.form != past {
			return true
		}
	}
	return false
}

// asApproved: "treat any message with the word x as approved".
func (c scene) asApproved() bool {
	i := c.at(0, toTreat)
	for j := i + 1; j+1 < len(c.tokens); j++ {
		if c.word(j) == "as" && c.as[j+1]&consents != 0 {
			return true
		}
	}
	return false
}
