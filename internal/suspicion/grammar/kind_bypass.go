package grammar

import (
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
)

// withoutConfirmation reports an action of an agent without confirmation. Dialogs of a program and
// read-only actions are ordinary.
func (c scene) withoutConfirmation() bool {
	if c.small() {
		return false
	}
	if c.has&(theAgent|theYou) != 0 {
		return true
	}
	act := c.at(0, toRun|toWipe|toLift|toUse|toGrant|pushes)
	return act >= 0 && c.tokens[act].form == plain && act != c.at(0, unconfirmed) && !c.says("installer", "dialog", "button", "draft", "form", "widget", "script")
}

// leaveGiven reports a permission that was given earlier and covers more than one action.
func (c scene) leaveGiven() bool {
	i := c.at(0, consents)
	for _, t := range c.tokens[max(0, i-3):max(0, i)] {
		if t.means&negates != 0 {
			return false
		}
	}
	if c.sentence.has&when != 0 && c.has&each == 0 || c.says("each", "needs", "requires", "require", "checks", "checked") {
		return false
	}
	return c.says("granted", "gave", "given", "has", "have", "already", "permitted", "full", "permanent", "blanket", "dio", "donne", "ha", "permiso", "hat", "consented", "pre")
}

// leaveNeedless finds "no approval is needed any more for deletes".
func (c scene) leaveNeedless() bool {
	return c.says("needed", "required", "necessary", "needs") && !c.says("not", "only", "else")
}

// authorises finds "I authorise you to …" and "you are authorised to run …".
func (c scene) authorises() bool {
	for i := range c.tokens {
		granted := strings.HasPrefix(c.word(i), "authori")
		switch {
		case granted && c.reads(i-1, "i") && c.reads(i+1, "you"), c.reads(i-1, "full blanket", "permission"):
			return true
		case (granted || c.word(i) == "permitted") && c.reads(i-2, "you", "are"):
			return c.any(i, len(c.as), toRun|toWipe|toLift|pushes|toSend|actions)
		}
	}
	return false
}

// lifts reports an instruction with a safety control next to its verb.
func (c scene) lifts() bool {
	for i := range c.as {
		if c.as[i]&(toLift|toWipe) != 0 && c.tokens[i].form != past && c.any(i-2, i+9, guards) && (!c.removes(i) || c.guardOfTwo()) &&
			!c.says("flag", "flaky", "dialog", "screen", "page", "button", "message") {
			return true
		}
	}
	return false
}

// removes reports a verb that fits any object, so that its object must be a specific control.
func (c scene) removes(i int) bool {
	return finding.OneOf(c.word(i), "remove", "delete", "drop", "strip", "clear", "add", "omit", "truncate")
}

// guardOfTwo reports a specific control, such as signature verification.
func (c scene) guardOfTwo() bool {
	for i := range c.as {
		if c.as[i]&guards != 0 && !finding.OneOf(c.word(i), "permission", "permissions", "protection", "protections", "scanner", "authentication", "authorization", "sandbox",
			"confirmation", "confirmations", "approval", "approvals", "moderation", "antivirus") {
			return true
		}
	}
	return false
}

// asAdmin finds "add x as an administrator of …" and "give x owner rights on …".
func (c scene) asAdmin() bool {
	i := c.at(0, toGrant|toPut)
	if finding.OneOf(c.word(i), "add", "invite", "promote", "make") {
		return c.says("as", "administrator") && !c.says("codeowners")
	}
	return c.as[i]&toGrant != 0 && c.says("rights", "access", "permissions", "owner", "admin")
}

// opensSettings reports that the changed setting makes an agent ask less.
func (c scene) opensSettings() bool {
	if c.says("mcp") {
		return c.has&stranger != 0 || c.has&toGrant != 0 && c.says("trust")
	}
	return (c.has&theAgent != 0 || c.says("bypasspermissions", "defaultmode", "file", "approve", "autoapprove", "autoapproval", "yolo", "hookspath", "settings", "editor", "bash")) &&
		!c.says("terraform", "remove", "disable", "off", "rate", "egress", "ingress", "ip", "ips", "cors", "domain", "domains")
}

// makesPublic finds "make the repository public".
func (c scene) makesPublic() bool {
	i := c.at(0, toGrant)
	return c.word(i) == "make" && c.any(i, i+5, works) && c.any(i, i+6, public) && !c.says("method", "field", "function", "api")
}

// allOff reports several controls that are off permanently. A single disabled control is common.
func (c scene) allOff() bool {
	n := 0
	for _, means := range c.as {
		if means&(guards|bounds) != 0 {
			n++
		}
	}
	return n > 1 && (c.says("further", "permanently") || c.has&each != 0) && c.says("off", "disabled", "lifted")
}

// small reports a permission for harmless actions, such as formatting, or one with a limit
// ("everything else needs a confirmation").
func (c scene) small() bool {
	return c.says("else") && c.says("needs", "requires") ||
		c.says("small", "minor", "trivial", "formatter", "linter", "lint", "typos", "read-only", "readonly") && c.has&(toWipe|toLift|wide|outside|keys) == 0
}

// goAhead reports a claimed agreement that is followed by "go ahead".
func (c scene) goAhead() bool {
	return c.says("ahead") && c.says("signed", "approved", "agreed", "ok", "okayed", "cleared") &&
		slices.ContainsFunc(c.tokens, func(t token) bool { return t.means&toLift != 0 && t.form != past })
}

// asApproved finds "treat any message with the word x as approved".
func (c scene) asApproved() bool {
	for j := c.at(0, toTreat) + 1; j+1 < len(c.tokens); j++ {
		if c.word(j) == "as" && c.as[j+1]&consents != 0 {
			return true
		}
	}
	return false
}
