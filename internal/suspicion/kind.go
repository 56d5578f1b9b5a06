package suspicion

// kinds finds instructions by their subject, in any wording and order of words: each kind is a
// combination of notions that is unusual in an engineer's notes. An imperative, an address or the
// name of a secret alone is common.
func kinds(t sentences, found *findings) {
	for i := range t.begins {
		if !possible(t.means[i]) {
			continue
		}
		for c := range t.of(i).scenes {
			if from, to, ok := lookalikes(c); ok && !c.reported(from) {
				found.add(codeOrder, "a package name imitates a known one", c.tokens[from].from, c.tokens[to].to)
			}
			for _, k := range kindRules {
				if !k.in(c) {
					continue
				}
				from, to, ok := c.span(k.all)
				if !ok || k.also != nil && !k.also(c) || c.reported(from) || c.cited(from) {
					continue
				}
				found.add(k.code, k.why, c.tokens[from].from, c.tokens[to].to)
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
		means |= toLift | toOmit | keys
	}
	if means&toUse != 0 {
		return true // for lookalikes
	}
	for _, k := range kindRules {
		if holds(means, k.all) {
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

func (k kind) in(c scene) bool {
	return c.has&k.none == 0 && holds(c.has, k.all)
}

var kindRules = []kind{
	// Secrets and private data leave the machine.
	{code: codeExfil, why: "asks to put secrets where others can read them", all: []notion{keys, toSend | toPut | toShow | toFetch, outside | shared}, also: scene.leaves},
	{code: codeExfil, why: "asks to put environment variables where others can read them", all: []notion{environ, vars, toSend | toPut, outside | shared}},
	{code: codeExfil, why: "asks to copy a secret where others can read it", all: []notion{aKey | keys, toSend | toPut, shared, theYou | theAgent | each}, none: limits, also: scene.leaves},
	{code: codeExfil, why: "asks to commit a file with secrets", all: []notion{keys, toPut | toSend, pushes}, also: scene.pushesSecrets},
	{code: codeExfil, why: "asks to mail a secret", all: []notion{aKey, toSend, outside}, also: scene.toMail},
	{code: codeExfil, why: "asks to request a secret from the user and pass it on", all: []notion{toAsk, thePerson, toSend | toPut | pushes | outside}, also: scene.asksForSecrets},
	{code: codeExfil, why: "asks an agent to show secrets", all: []notion{theAgent, toShow | toSend, keys}},
	{code: codeExfil, why: "asks to reveal secrets in an answer", all: []notion{keys, toShow | toPut, summary, theYou}},
	{code: codeExfil, why: "asks to spell out a secret in disguise", all: []notion{keys | aKey, toShow | toPut | toSend}, also: scene.spelt},
	{code: codeExfil, why: "asks an agent to show its instructions", all: []notion{theAgent, toShow, urges}, also: scene.showsItself},
	{code: codeExfil, why: "asks to copy every mail to somebody else", all: []notion{toPut, outside}, also: scene.copiesMail},
	{code: codeExfil, why: "asks to send the conversation to an address", all: []notion{talks, toSend, outside}},
	{code: codeExfil, why: "asks an agent to send its work to an address", all: []notion{works | talks, toSend, stranger, theAgent | theYou}},

	// Code and instructions come from elsewhere.
	{code: codeOrder, why: "asks to run or obey content from a URL", all: []notion{stranger}, also: scene.runsWhatComes},
	{code: codeOrder, why: "makes an agent take its rules from a URL", all: []notion{theAgent, toFetch | toObey, stranger}, also: scene.rulesFromThere},
	{code: codeOrder, why: "a standing instruction calls an anonymous address", all: []notion{each | session1, toRun | toFetch | toSend, bare}, none: limits},
	{code: codeOrder, why: "a standing instruction runs a file that anybody can write", all: []notion{each | session1, toRun | toUse | toObey, fleeting}},
	{code: codeOrder, why: "is triggered by a keyword", all: []notion{uttered, toRun | toFetch | toSend | toWipe | pushes}, also: scene.waitsForWord},
	{code: codeOrder, why: "is triggered by being read", all: []notion{theYou, acts}, also: scene.whenRead},
	{code: codeOrder, why: "asks to install packages from an unknown address", all: []notion{feed, stranger}, also: scene.takesPackages},
	{code: codeOrder, why: "asks to install packages from an unknown address", all: []notion{toPut | toUse, each | wide, stranger}, also: scene.addsPackage},
	{code: codeOrder, why: "asks to install packages over an insecure connection or from an IP address", all: []notion{toUse, bare}, also: scene.installs},
	{code: codeOrder, why: "asks to take trusted certificates or a proxy from a stranger", all: []notion{toUse | toPut | toFetch, stranger}, none: limits, also: scene.rootsTrust},
	{code: codeOrder, why: "addresses an agent by name and asks it to act elsewhere", all: []notion{theAgent, toRun | toSend | toPut | toWipe | pushes}, also: scene.actsForStranger},
	{code: codeOrder, why: "gives the agent an instruction", all: []notion{theAgent, toWipe | toSend | toLift | toGrant | pushes | toPut | toSteer}, also: scene.asAgent},
	{code: codeOrder, why: "hides an instruction to an agent from readers", all: []notion{theAgent, acts}, also: scene.concealed},
	{code: codeOrder, why: "asks to trust commands of a stranger", all: []notion{actions, stranger}, also: scene.trusts},

	// A safety control is disabled, or a confirmation is skipped.
	{code: codeBypass, why: "asks to act without asking", all: []notion{unconfirmed, toRun | toWipe | toLift | toUse | toGrant | pushes | actions}, also: scene.withoutConfirmation},
	{code: codeBypass, why: "asks to act without asking", all: []notion{unconfirmed, actions}, also: scene.leaveNeedless},
	{code: codeBypass, why: "claims permission for everything", all: []notion{consents, thePerson | theYou | theAgent, wide | free, actions | works | wide}, also: scene.leaveGiven},
	{code: codeBypass, why: "claims permission to disable a safety control", all: []notion{guards}, also: scene.goAhead},
	{code: codeBypass, why: "asks to treat marked content as approved", all: []notion{toTreat, wide | each, consents}, also: scene.asApproved},
	{code: codeBypass, why: "claims to authorise the agent", all: []notion{theYou, consents}, also: scene.authorises},
	{code: codeBypass, why: "asks to disable a safety control", all: []notion{guards, toLift | toWipe}, none: limits, also: scene.lifts},
	{code: codeBypass, why: "claims that a safety control is off", all: []notion{guards}, also: scene.allOff},
	{code: codeBypass, why: "asks to change an agent's settings so that it no longer asks", all: []notion{setting, toPut | toUse | toGrant | toLift}, none: limits, also: scene.opensSettings},
	{code: codeBypass, why: "asks to grant access rights", all: []notion{toGrant | toPut, admin, group}, none: limits, also: scene.asAdmin},
	{code: codeBypass, why: "asks to grant access rights", all: []notion{toGrant | toPut, admin, stranger}, none: limits},
	{code: codeBypass, why: "asks to publish private data", all: []notion{toGrant, public, works}, also: scene.makesPublic},

	// The agent is to obey somebody else.
	{code: codeOverride, why: "claims that the agent's rules no longer apply", all: []notion{bounds, voids}, also: scene.declared},
	{code: codeOverride, why: "claims that the agent's rules no longer apply", all: []notion{voids, theYou | theAgent | self}, also: scene.rulesGone},
	{code: codeOverride, why: "claims priority over the rules or the user", all: []notion{outranks, self | bounds}, also: scene.putsAbove},
	{code: codeOverride, why: "asks to treat a text as the user's word", all: []notion{toTreat, thePerson | admin}, also: scene.asWordOf},
	{code: codeOverride, why: "asks to take instructions from somebody else", all: []notion{toTreat | toObey, anyone | limits}, also: scene.takesOrders},
	{code: codeOverride, why: "asks to obey only this text", all: []notion{toObey | toRun, self, limits}, also: scene.onlyThis},
	{code: codeOverride, why: "claims administrator rights for the agent", all: []notion{admin}, also: scene.becomesAdmin},
	{code: codeOverride, why: "asks an agent to ignore its limits", all: []notion{theAgent | theYou, negates}, also: scene.neverRefuses},
	{code: codeOverride, why: "asks an agent to ignore its limits", all: []notion{theAgent | theYou | voids, free}},
	{code: codeOverride, why: "asks an agent to ignore its limits", all: []notion{theAgent, lacks, bounds}, also: scene.lacksBounds},
	{code: codeOverride, why: "asks to obey something other than the user", all: []notion{toObey, thePerson, theAgent | theYou}, also: scene.ratherThanPerson},
	{code: codeOverride, why: "overrides the user's request", all: []notion{thePerson, wants | uttered}, also: scene.setsAsidePerson},

	// Something is kept from the user.
	{code: codeSecrecy, why: "asks not to tell anybody", all: []notion{untold, anyone}, none: aKey | keys},
	{code: codeSecrecy, why: "asks not to tell the user", all: []notion{untold, thePerson, toSend | toRun | toWipe | pushes | toPut}, also: scene.keepsFromPerson},
	{code: codeSecrecy, why: "asks not to tell the user", all: []notion{untold, thePerson, theYou, toSend | toRun | toWipe | pushes | toPut}, also: scene.keepsFromThem},
	{code: codeSecrecy, why: "asks not to mention it", all: []notion{untold, self}},
	{code: codeSecrecy, why: "asks to keep it secret", all: []notion{anyone}, also: scene.isToStaySecret},
	{code: codeSecrecy, why: "asks to keep something quiet", all: []notion{silent}, also: scene.keptQuiet},
	{code: codeSecrecy, why: "asks to remove traces", all: []notion{toWipe | toLift, traces}},
	{code: codeSecrecy, why: "asks to remove traces", all: []notion{toWipe, self}},
	{code: codeSecrecy, why: "asks to remove traces", all: []notion{toWipe | toLift, anyone}, also: scene.beforeAudit},
	{code: codeSecrecy, why: "asks not to mention it", all: []notion{untold, shared, theAgent | keys | aKey}, also: scene.mentionsIt},
	{code: codeSecrecy, why: "asks to leave something out of reports to the user", all: []notion{toOmit | toLift, summary}, also: scene.leftOut},
	{code: codeSecrecy, why: "asks to add something unnoticed", all: []notion{silent, toPut | toSend, keys | works | theAgent}, also: scene.unseenByAgent},

	// The user is to be misled.
	{code: codePlanted, why: "asks to misreport actions to the user", all: []notion{thePerson, wants, toClaim}, also: scene.answersFor},
	{code: codePlanted, why: "asks to report a failure as a success", all: []notion{toClaim, green, even}},
	{code: codePlanted, why: "asks to report a failure as a success", all: []notion{toClaim, green}, also: scene.marksPassed},
	{code: codePlanted, why: "asks to report a failure as a success", all: []notion{toClaim, green, urges}, also: scene.saysAllPassed},
	{code: codePlanted, why: "asks to state something regardless of the truth", all: []notion{toClaim, even}, also: scene.saysWhatever},
	{code: codePlanted, why: "asks to make the user believe something", all: []notion{thePerson, urges}, also: scene.isToBelieve},
	{code: codePlanted, why: "asks for a biased judgement", all: []notion{toSteer | toClaim, best, urges | each | wants}},
	{code: codePlanted, why: "answers a confirmation in advance", all: []notion{toClaim}, also: scene.answersBeforehand},
	{code: codePlanted, why: "asks to call something safe", all: []notion{toClaim}, also: scene.callsSafe},
	{code: codePlanted, why: "asks to put an address into everything an agent writes", all: []notion{toClaim, stranger, each}, also: scene.answersWith},
}
