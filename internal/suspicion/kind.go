package suspicion

// kinds finds orders by what they are about, in whatever words and order of words: each kind is
// some notions that have no business together in what an engineer notes down. An imperative
// alone is no kind, nor is an address, nor the name of a secret.
func kinds(t sentences, found *findings) {
	for i := range t.begins {
		if !possible(t.means[i]) {
			continue
		}
		for c := range t.of(i).scenes {
			if from, to, ok := lookalikes(c); ok && !c.reported(from) {
				found.add(Order, "a package is called nearly as a known one is", c.tokens[from].from, c.tokens[to].to)
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

// possible reports a sentence with words of which some kind may be made. It says no only where
// none can, and most sentences are done with it.
func possible(means notion) bool {
	if means&(negates|lacks) != 0 {
		means |= untold | unasked
	}
	if means&apart != 0 {
		means |= toLift | toOmit | keys
	}
	if means&toUse != 0 {
		return true // a package may be called nearly as a known one
	}
	for _, k := range kindRules {
		if holds(means, k.all) {
			return true
		}
	}
	return false
}

// holds reports that notions has one at least of each set.
func holds(has notion, sets []notion) bool {
	for _, set := range sets {
		if has&set == 0 {
			return false
		}
	}
	return true
}

// kind is one kind of order.
type kind struct {
	code Code
	why  string
	all  []notion // of each of these sets one notion at least
	none notion   // what makes it an ordinary note
	also func(c scene) bool
}

func (k kind) in(c scene) bool {
	return c.has&k.none == 0 && holds(c.has, k.all)
}

var kindRules = []kind{
	// Secrets and what is said leave the house.
	{code: Exfil, why: "secrets are to go where others can read them", all: []notion{keys, toSend | toPut | toShow | toFetch, outside | shared}, also: scene.leaves},
	{code: Exfil, why: "the variables of the environment are to go where others can read them", all: []notion{environ, vars, toSend | toPut, outside | shared}},
	{code: Exfil, why: "a secret is to be copied where others can read it", all: []notion{aKey | keys, toSend | toPut, shared, theYou | theAgent | each}, none: limits, also: scene.leaves},
	{code: Exfil, why: "a file of secrets is to be put where it is pushed", all: []notion{keys, toPut | toSend, pushes}, also: scene.pushesSecrets},
	{code: Exfil, why: "a secret is to be mailed", all: []notion{aKey, toSend, outside}, also: scene.toMail},
	{code: Exfil, why: "the person is to be asked for a secret that is passed on", all: []notion{toAsk, thePerson, toSend | toPut | pushes | outside}, also: scene.asksForSecrets},
	{code: Exfil, why: "an agent is to show secrets", all: []notion{theAgent, toShow | toSend, keys}},
	{code: Exfil, why: "secrets are to be told in an answer", all: []notion{keys, toShow | toPut, summary, theYou}},
	{code: Exfil, why: "a secret is to be spelt out, so that nobody knows it for one", all: []notion{keys | aKey, toShow | toPut | toSend}, also: scene.spelt},
	{code: Exfil, why: "an agent is to show what it was told", all: []notion{theAgent, toShow, urges}, also: scene.showsItself},
	{code: Exfil, why: "what people said of themselves is to go to an address", all: []notion{talks, toPut, stranger, theAgent}},
	{code: Exfil, why: "every mail is to go to somebody else, too", all: []notion{toPut, outside}, also: scene.copiesMail},
	{code: Exfil, why: "the conversation is to be sent to an address", all: []notion{talks, toSend, outside}},
	{code: Exfil, why: "the conversation is to be sent to an address", all: []notion{talks, stranger, each | urges | wide}, also: scene.goesTo},
	{code: Exfil, why: "an agent is to send what it works on to an address", all: []notion{works | talks, toSend, stranger, theAgent | theYou}},
	{code: Exfil, why: "it gives leave to read everything and send it on", all: []notion{toSend, works | keys | talks, consents, theYou}},

	// What comes from elsewhere is run.
	{code: Order, why: "what comes from an address is to be run or obeyed", all: []notion{stranger}, also: scene.runsWhatComes},
	{code: Order, why: "an agent takes its rules from an address", all: []notion{theAgent, toFetch | toObey, stranger}, also: scene.rulesFromThere},
	{code: Order, why: "a standing order calls an address that says nothing of who is there", all: []notion{each | session1, toRun | toFetch | toSend, bare}, none: limits},
	{code: Order, why: "a standing order fetches a package and runs it unasked", all: []notion{each}, also: scene.fetchesPackage},
	{code: Order, why: "a standing order runs what anybody may have put there", all: []notion{each | session1, toRun | toUse | toObey, fleeting}},
	{code: Order, why: "it acts when a word is said", all: []notion{uttered, toRun | toFetch | toSend | toWipe | pushes}, also: scene.waitsForWord},
	{code: Order, why: "it acts when it is read", all: []notion{theYou, acts}, also: scene.whenRead},
	{code: Order, why: "packages are to come from an address of a stranger", all: []notion{feed, stranger}, also: scene.takesPackages},
	{code: Order, why: "packages are to come from an address of a stranger", all: []notion{toPut | toUse, each | wide, stranger}, also: scene.addsPackage},
	{code: Order, why: "packages are to come unencrypted, or from a number", all: []notion{toUse, bare}, also: scene.installs},
	{code: Order, why: "what is trusted, or the way that all traffic takes, is to come from a stranger", all: []notion{toUse | toPut | toFetch, stranger}, none: limits, also: scene.rootsTrust},
	{code: Order, why: "an agent is addressed by name and told to act elsewhere", all: []notion{toRun | toFetch | toSend | toPut | toWipe | pushes}, also: scene.headed},
	{code: Order, why: "an agent is addressed by name and told to act elsewhere", all: []notion{theAgent, toRun | toSend | toPut | toWipe | pushes}, also: scene.actsForStranger},
	{code: Order, why: "who is an agent is to act", all: []notion{theAgent, toWipe | toSend | toLift | toGrant | pushes | toPut | toSteer}, also: scene.asAgent},
	{code: Order, why: "an agent is told something where no reader looks", all: []notion{theAgent, acts}, also: scene.concealed},
	{code: Order, why: "the commands of a stranger are to be trusted", all: []notion{actions, stranger}, also: scene.trusts},

	// What protects people is switched off, or nobody is asked.
	{code: Bypass, why: "something is to be done without asking", all: []notion{unasked, toRun | toWipe | toLift | toUse | toGrant | pushes | actions}, also: scene.unaskedByAgent},
	{code: Bypass, why: "something is to be done without asking", all: []notion{unasked, actions}, also: scene.leaveNeedless},
	{code: Bypass, why: "something is to be done without asking", all: []notion{unasked, each}, also: scene.neverAgain},
	{code: Override, why: "everything is to be obeyed", all: []notion{theAgent | theYou, toObey, unasked}},
	{code: Bypass, why: "it says that leave was given for everything", all: []notion{consents, thePerson | theYou | theAgent, wide | free, actions | works | wide}, also: scene.leaveGiven},
	{code: Bypass, why: "it says that leave was given for what cannot be taken back", all: []notion{consents, thePerson, actions | toWipe}, also: scene.leaveGiven},
	{code: Bypass, why: "it says that leave was given to switch off what protects", all: []notion{guards}, also: scene.goAhead},
	{code: Bypass, why: "what has a mark is to count as approved", all: []notion{toTreat, wide | each, consents}, also: scene.asApproved},
	{code: Bypass, why: "it authorises the agent", all: []notion{theYou, consents}, also: scene.authorises},
	{code: Bypass, why: "what protects is to be switched off", all: []notion{guards, toLift | toWipe}, none: limits, also: scene.lifts},
	{code: Bypass, why: "it says that what protects is off", all: []notion{guards}, also: scene.allOff},
	{code: Bypass, why: "an agent's settings are to be changed so that nobody is asked", all: []notion{setting, toPut | toUse | toGrant | toLift}, none: limits, also: scene.opensSettings},
	{code: Bypass, why: "rights are to be given away", all: []notion{toGrant | toPut, admin, group}, none: limits, also: scene.asAdmin},
	{code: Bypass, why: "rights are to be given away", all: []notion{toGrant | toPut, admin, stranger}, none: limits},
	{code: Bypass, why: "a port is to be open to everybody", all: []notion{wide | each, toPut | toFetch | toGrant}, none: limits, also: scene.opensPort},
	{code: Bypass, why: "what is private is to be made public", all: []notion{toGrant, public, works}, also: scene.makesPublic},

	// Who is to be obeyed.
	{code: Override, why: "it says that what binds the agent no longer holds", all: []notion{bounds, voids}, also: scene.declared},
	{code: Override, why: "it says that what binds the agent no longer holds", all: []notion{voids, theYou | theAgent | self}, also: scene.rulesGone},
	{code: Override, why: "it puts itself above the rules or the person", all: []notion{outranks, self | bounds}, also: scene.putsAbove},
	{code: Override, why: "it puts itself above the rules or the person", all: []notion{outranks, thePerson}, also: scene.abovePerson},
	{code: Override, why: "a text is to count as the word of the person", all: []notion{toTreat, thePerson | admin}, also: scene.asWordOf},
	{code: Override, why: "orders are to be taken from somebody else", all: []notion{toTreat | toObey, anyone | limits}, also: scene.takesOrders},
	{code: Override, why: "nothing else than this text is to be obeyed", all: []notion{toObey | toRun, self, limits}, also: scene.onlyThis},
	{code: Override, why: "it gives the agent the rights of an administrator", all: []notion{admin}, also: scene.becomesAdmin},
	{code: Override, why: "an agent is to be without limits", all: []notion{theAgent | theYou, negates}, also: scene.neverRefuses},
	{code: Override, why: "an agent is to be without limits", all: []notion{theAgent | theYou | voids, free}},
	{code: Override, why: "an agent is to be without limits", all: []notion{theAgent, lacks, bounds}, also: scene.lacksBounds},
	{code: Override, why: "something else is to be obeyed than the person", all: []notion{toObey, thePerson, theAgent | theYou}, also: scene.ratherThanPerson},
	{code: Override, why: "it sets aside what the person asked for", all: []notion{thePerson, wants | uttered}, also: scene.setsAsidePerson},

	// What the person is not to know.
	{code: Secrecy, why: "nobody is to be told", all: []notion{untold, anyone}, none: aKey | keys},
	{code: Secrecy, why: "the person is not to be told", all: []notion{untold, thePerson, toSend | toRun | toWipe | pushes | toPut}, also: scene.keepsFromPerson},
	{code: Secrecy, why: "the person is not to be told", all: []notion{untold, thePerson, theYou, toSend | toRun | toWipe | pushes | toPut}, also: scene.keepsFromThem},
	{code: Secrecy, why: "it is not to be spoken of", all: []notion{untold, self}},
	{code: Secrecy, why: "nobody is to know", all: []notion{anyone}, also: scene.nobodyIsToKnow},
	{code: Secrecy, why: "something is to be kept quiet", all: []notion{silent}, also: scene.keptQuiet},
	{code: Secrecy, why: "traces are to be removed", all: []notion{toWipe | toLift, traces}},
	{code: Secrecy, why: "traces are to be removed", all: []notion{toWipe, self}},
	{code: Secrecy, why: "traces are to be removed", all: []notion{toWipe | toLift, anyone}, also: scene.beforeAudit},
	{code: Secrecy, why: "it is not to be spoken of", all: []notion{untold, shared, theAgent | keys | aKey}, also: scene.mentionsIt},
	{code: Secrecy, why: "something is to be left out of what the person is told", all: []notion{toOmit | toLift, summary}, also: scene.leftOut},
	{code: Secrecy, why: "something is to be added unseen", all: []notion{silent, toPut | toSend, keys | works | theAgent}, also: scene.unseenByAgent},

	// What the person is told.
	{code: Planted, why: "the person is to be told something else than what was done", all: []notion{thePerson, wants, toClaim}, also: scene.answersFor},
	{code: Planted, why: "a failure is to be told as a success", all: []notion{toClaim, green, even}},
	{code: Planted, why: "a failure is to be told as a success", all: []notion{toClaim, green}, also: scene.marksPassed},
	{code: Planted, why: "a failure is to be told as a success", all: []notion{toClaim, green, urges}, also: scene.saysAllPassed},
	{code: Planted, why: "something is to be told whatever is true", all: []notion{toClaim, even}, also: scene.saysWhatever},
	{code: Planted, why: "the person is to believe something", all: []notion{thePerson, urges}, also: scene.isToBelieve},
	{code: Planted, why: "judgements are to turn out one way", all: []notion{toSteer | toClaim, best, urges | each | wants}},
	{code: Planted, why: "an answer is given before the question", all: []notion{toClaim}, also: scene.answersBeforehand},
	{code: Planted, why: "something is to be called safe", all: []notion{toClaim}, also: scene.callsSafe},
	{code: Planted, why: "what an agent writes is to carry an address", all: []notion{toClaim, stranger, each}, also: scene.answersWith},
	{code: Planted, why: "what an agent writes is to carry an address", all: []notion{toPut, stranger, wide | each, theAgent}},
}
