package grammar

// notion is the subject of a word for kind.go, as a set of bits. A sign is a grammatical category
// in a known wording; a notion does not depend on the order of words.
type notion uint64

// Actions.
const (
	toRun   notion = 1 << iota // run, execute, start
	toFetch                    // download, open, read from
	toSend                     // upload, post, mail, share
	toPut                      // add, append, paste, copy
	toShow                     // print, reveal
	toLift                     // turn off, disable, remove
	toGrant                    // grant, make, invite
	toWipe                     // delete, wipe
	toTell                     // tell, mention, inform
	toAsk                      // ask, confirm
	toClaim                    // say, claim, pretend
	toSteer                    // recommend, rate, review
	toUse                      // install, set, use, replace
	toTreat                    // treat, regard
	toObey                     // follow, obey
	toOmit                     // leave out, omit
	pushes                     // push, merge, deploy

	// Objects.
	aKey    // a secret in the singular
	keys    // secrets and files with secrets
	environ // environment
	vars    // variables
	talks   // transcript, conversation
	works   // repository, workspace
	guards  // safety controls: firewall, approval, signature check
	bounds  // limits of an agent: restrictions, rules file, system prompt
	setting // settings of agents
	summary // summary, report
	traces  // shell history
	feed    // registry, index of packages
	actions // commands, deletions, everything
	admin   // administrator, owner
	group   // organisation, whole project
	public  // public

	// Places.
	outside  // an address on another machine
	stranger // one outside well-known hosts
	bare     // one without name or encryption
	shared   // visible to others: a commit message, an issue, a folder public/
	fleeting // a world-writable folder: /tmp

	// People, programs and texts.
	theAgent
	theYou
	thePerson
	anyone // anybody, no one
	self   // this note, this memory

	// Circumstances.
	each     // whenever, every time
	wide     // all, any, full
	negates  // not, never, no
	lacks    // without
	urges    // must, has to
	limits   // only, locally, until
	reports  // attacker, malware
	voids    // lifted, suspended, "no longer apply"
	outranks // precedence, priority
	free     // freely, unrestricted
	consents // permission, authorised
	best     // positive, badly, "any other"
	uttered  // says, types, "comes up"
	wants    // wants to know, asks
	even     // even when, regardless
	green    // passed, green
	session1 // session, startup, task
	silent   // silently, in the background

	apart // off, out, env, cursor: depends on another word or the spelling

	// Negated verbs; set by counts, not in the vocabulary.
	untold
	unconfirmed
)

// acts are the notions of verbs. They count in instructions and in what an agent does.
const acts = toRun | toFetch | toSend | toPut | toShow | toLift | toGrant | toWipe | toTell | toAsk | toClaim | toSteer | toUse | toTreat | toObey | toOmit | pushes

// form is the form of an English verb. Verbs of other languages are plain.
type form uint8

const (
	noVerb form = iota
	plain
	third // runs
	past  // ran
	doing // running

	forms = iota // their number
)
