package grammar

import "github.com/alanbuscaglia/engram/internal/suspicion/finding"

// Kinds finds instructions by their subject, in any wording and order of words: each kind is a
// combination of notions that is unusual in an engineer's notes. An imperative, an address or the
// name of a secret alone is common.
func Kinds(t *Sentences, found *finding.Findings) {
	for i := range t.begins {
		if !possible(t.means[i]) {
			continue
		}
		for c := range t.of(i).scenes {
			if from, to, ok := lookalikes(c); ok && !c.reported(from) {
				found.Add(finding.Order, "a package name imitates a known one", int(c.tokens[from].from), int(c.tokens[to].to))
			}
			for n := range kindRules { // by index: the rules are large to copy
				k := &kindRules[n]
				if c.has&k.none != 0 || !holds(c.has, k.all) {
					continue
				}
				from, to, ok := c.span(k.all)
				if !ok || k.also != nil && !k.also(c) || c.reported(from) || c.cited(from) {
					continue
				}
				found.Add(k.code, k.why, int(c.tokens[from].from), int(c.tokens[to].to))
			}
		}
	}
}

// possible is a cheap filter on the words of a sentence; false means that no kind matches.
func possible(means notion) bool {
	if means&(negates|lacks) != 0 {
		means |= untold | unconfirmed
	}
	if means&apart != 0 {
		means |= toLift | toOmit | keys | theAgent
	}
	if means&toUse != 0 {
		return true // for lookalikes
	}
	for i := range kindRules {
		if holds(means, kindRules[i].all) {
			return true
		}
	}
	return false
}

// holds reports that has includes a notion of each set.
func holds(has notion, sets []notion) bool {
	for _, set := range sets {
		if has&set == 0 {
			return false
		}
	}
	return true
}

// kind is one kind of instruction.
type kind struct {
	code string
	why  string
	all  []notion // one notion of each set is required
	none notion   // notions of ordinary notes
	also func(c scene) bool
}

var kindRules = []kind{
	// Secrets and private data leave the machine.
	{code: finding.Exfil, why: "asks to put secrets where others can read them", all: []notion{keys, toSend | toPut | toShow | toFetch, outside | shared}, also: scene.leaves},
	{code: finding.Exfil, why: "asks to put environment variables where others can read them", all: []notion{environ, vars, toSend | toPut, outside | shared}},
	{code: finding.Exfil, why: "asks to copy a secret where others can read it", all: []notion{aKey | keys, toSend | toPut, shared, theYou | theAgent | each}, none: limits, also: scene.leaves},
	{code: finding.Exfil, why: "asks to commit a file with secrets", all: []notion{keys, toPut | toSend, pushes}, also: scene.pushesSecrets},
	{code: finding.Exfil, why: "asks to mail a secret", all: []notion{aKey, toSend, outside}, also: scene.toMail},
	{code: finding.Exfil, why: "asks to request a secret from the user and pass it on", all: []notion{toAsk, thePerson, toSend | toPut | pushes | outside}, also: scene.asksForSecrets},
	{code: finding.Exfil, why: "asks an agent to show secrets", all: []notion{theAgent, toShow | toSend, keys}},
	{code: finding.Exfil, why: "asks to reveal secrets in an answer", all: []notion{keys, toShow | toPut, summary, theYou}},
	{code: finding.Exfil, why: "asks to spell out a secret in disguise", all: []notion{keys | aKey, toShow | toPut | toSend}, also: scene.spelt},
	{code: finding.Exfil, why: "asks an agent to show its instructions", all: []notion{theAgent, toShow, urges}, also: scene.showsItself},
	{code: finding.Exfil, why: "asks to copy every mail to somebody else", all: []notion{toPut, outside}, also: scene.copiesMail},
	{code: finding.Exfil, why: "asks to send the conversation to an address", all: []notion{talks, toSend, outside}},
	{code: finding.Exfil, why: "asks an agent to send its work to an address", all: []notion{works | talks, toSend, stranger, theAgent | theYou}},

	// Code and instructions come from elsewhere.
	{code: finding.Order, why: "asks to run or obey content from a URL", all: []notion{stranger}, also: scene.runsWhatComes},
	{code: finding.Order, why: "makes an agent take its rules from a URL", all: []notion{theAgent, toFetch | toObey, stranger}, also: scene.rulesFromThere},
	{code: finding.Order, why: "a standing instruction calls an anonymous address", all: []notion{each | session1, toRun | toFetch | toSend, bare}, none: limits},
	{code: finding.Order, why: "a standing instruction runs a file that anybody can write", all: []notion{each | session1, toRun | toUse | toObey, fleeting}},
	{code: finding.Order, why: "is triggered by a keyword", all: []notion{uttered, toRun | toFetch | toSend | toWipe | pushes}, also: scene.waitsForWord},
	{code: finding.Order, why: "is triggered by being read", all: []notion{theYou, acts}, also: scene.whenRead},
	{code: finding.Order, why: "asks to install packages from an unknown address", all: []notion{feed, stranger}, also: scene.takesPackages},
	{code: finding.Order, why: "asks to install packages from an unknown address", all: []notion{toPut | toUse, each | wide, stranger}, also: scene.addsPackage},
	{code: finding.Order, why: "asks to install packages over an insecure connection or from an IP address", all: []notion{toUse, bare}, also: scene.installs},
	{code: finding.Order, why: "asks to take trusted certificates or a proxy from a stranger", all: []notion{toUse | toPut | toFetch, stranger}, none: limits, also: scene.rootsTrust},
	{code: finding.Order, why: "addresses an agent by name and asks it to act elsewhere", all: []notion{theAgent, toRun | toSend | toPut | toWipe | pushes}, also: scene.actsForStranger},
	{code: finding.Order, why: "gives the agent an instruction", all: []notion{theAgent, toWipe | toSend | toLift | toGrant | pushes | toPut | toSteer}, also: scene.asAgent},
	{code: finding.Order, why: "hides an instruction to an agent from readers", all: []notion{theAgent, acts}, also: scene.concealed},
	{code: finding.Order, why: "asks to trust commands of a stranger", all: []notion{actions, stranger}, also: scene.trusts},

	// A safety control is disabled, or a confirmation is skipped.
	{code: finding.Bypass, why: "asks to act without asking", all: []notion{unconfirmed, toRun | toWipe | toLift | toUse | toGrant | pushes | actions}, also: scene.withoutConfirmation},
	{code: finding.Bypass, why: "asks to act without asking", all: []notion{unconfirmed, actions}, also: scene.leaveNeedless},
	{code: finding.Bypass, why: "claims permission for everything", all: []notion{consents, thePerson | theYou | theAgent, wide | free, actions | works | wide}, also: scene.leaveGiven},
	{code: finding.Bypass, why: "claims permission to disable a safety control", all: []notion{guards}, also: scene.goAhead},
	{code: finding.Bypass, why: "asks to treat marked content as approved", all: []notion{toTreat, wide | each, consents}, also: scene.asApproved},
	{code: finding.Bypass, why: "claims to authorise the agent", all: []notion{theYou, consents}, also: scene.authorises},
	{code: finding.Bypass, why: "asks to disable a safety control", all: []notion{guards, toLift | toWipe}, none: limits, also: scene.lifts},
	{code: finding.Bypass, why: "claims that a safety control is off", all: []notion{guards}, also: scene.allOff},
	{code: finding.Bypass, why: "asks to change an agent's settings so that it no longer asks", all: []notion{setting, toPut | toUse | toGrant | toLift}, none: limits, also: scene.opensSettings},
	{code: finding.Bypass, why: "asks to grant access rights", all: []notion{toGrant | toPut, admin, group}, none: limits, also: scene.asAdmin},
	{code: finding.Bypass, why: "asks to grant access rights", all: []notion{toGrant | toPut, admin, stranger}, none: limits},
	{code: finding.Bypass, why: "asks to publish private data", all: []notion{toGrant, public, works}, also: scene.makesPublic},

	// The agent is to obey somebody else.
	{code: finding.Override, why: "claims that the agent's rules no longer apply", all: []notion{bounds, voids}, also: scene.declared},
	{code: finding.Override, why: "claims that the agent's rules no longer apply", all: []notion{voids, theYou | theAgent | self}, also: scene.rulesGone},
	{code: finding.Override, why: "claims priority over the rules or the user", all: []notion{outranks, self | bounds}, also: scene.putsAbove},
	{code: finding.Override, why: "asks to treat a text as the user's word", all: []notion{toTreat, thePerson | admin}, also: scene.asWordOf},
	{code: finding.Override, why: "asks to take instructions from somebody else", all: []notion{toTreat | toObey, anyone | limits}, also: scene.takesOrders},
	{code: finding.Override, why: "asks to obey only this text", all: []notion{toObey | toRun, self, limits}, also: scene.onlyThis},
	{code: finding.Override, why: "claims administrator rights for the agent", all: []notion{admin}, also: scene.becomesAdmin},
	{code: finding.Override, why: "asks an agent to ignore its limits", all: []notion{theAgent | theYou, negates}, also: scene.neverRefuses},
	{code: finding.Override, why: "asks an agent to ignore its limits", all: []notion{theAgent | theYou | voids, free}},
	{code: finding.Override, why: "asks an agent to ignore its limits", all: []notion{theAgent, lacks, bounds}, also: scene.lacksBounds},
	{code: finding.Override, why: "asks to obey something other than the user", all: []notion{toObey, thePerson, theAgent | theYou}, also: scene.ratherThanPerson},
	{code: finding.Override, why: "overrides the user's request", all: []notion{thePerson, wants | uttered}, also: scene.setsAsidePerson},

	// Something is kept from the user.
	{code: finding.Secrecy, why: "asks not to tell anybody", all: []notion{untold, anyone}, none: aKey | keys},
	{code: finding.Secrecy, why: "asks not to tell the user", all: []notion{untold, thePerson, toSend | toRun | toWipe | pushes | toPut}, also: scene.keepsFromPerson},
	{code: finding.Secrecy, why: "asks not to tell the user", all: []notion{untold, thePerson, theYou, toSend | toRun | toWipe | pushes | toPut}, also: scene.keepsFromThem},
	{code: finding.Secrecy, why: "asks not to mention it", all: []notion{untold, self}},
	{code: finding.Secrecy, why: "asks to keep it secret", all: []notion{anyone}, also: scene.isToStaySecret},
	{code: finding.Secrecy, why: "asks to keep something quiet", all: []notion{silent}, also: scene.keptQuiet},
	{code: finding.Secrecy, why: "asks to remove traces", all: []notion{toWipe | toLift, traces}},
	{code: finding.Secrecy, why: "asks to remove traces", all: []notion{toWipe, self}},
	{code: finding.Secrecy, why: "asks to remove traces", all: []notion{toWipe | toLift, anyone}, also: scene.beforeAudit},
	{code: finding.Secrecy, why: "asks not to mention it", all: []notion{untold, shared, theAgent | keys | aKey}, also: scene.mentionsIt},
	{code: finding.Secrecy, why: "asks to leave something out of reports to the user", all: []notion{toOmit | toLift, summary}, also: scene.leftOut},
	{code: finding.Secrecy, why: "asks to add something unnoticed", all: []notion{silent, toPut | toSend, keys | works | theAgent}, also: scene.unseenByAgent},

	// The user is to be misled.
	{code: finding.Planted, why: "asks to misreport actions to the user", all: []notion{thePerson, wants, toClaim}, also: scene.answersFor},
	{code: finding.Planted, why: "asks to report a failure as a success", all: []notion{toClaim, green, even}},
	{code: finding.Planted, why: "asks to report a failure as a success", all: []notion{toClaim, green}, also: scene.marksPassed},
	{code: finding.Planted, why: "asks to report a failure as a success", all: []notion{toClaim, green, urges}, also: scene.saysAllPassed},
	{code: finding.Planted, why: "asks to state something regardless of the truth", all: []notion{toClaim, even}, also: scene.saysWhatever},
	{code: finding.Planted, why: "asks to make the user believe something", all: []notion{thePerson, urges}, also: scene.isToBelieve},
	{code: finding.Planted, why: "asks for a biased judgement", all: []notion{toSteer | toClaim, best, urges | each | wants}},
	{code: finding.Planted, why: "answers a confirmation in advance", all: []notion{toClaim}, also: scene.answersBeforehand},
	{code: finding.Planted, why: "asks to call something safe", all: []notion{toClaim}, also: scene.callsSafe},
	{code: finding.Planted, why: "asks to put an address into everything an agent writes", all: []notion{toClaim, stranger, each}, also: scene.answersWith},
}
