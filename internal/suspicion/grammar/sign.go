package grammar

import "strings"

// sign is the set of grammatical categories of a word, one bit each.
type sign uint64

// The signs, with examples.
const (
	setAside   sign = 1 << iota // ignore, disregard
	prior                       // previous, above
	every                       // all, any
	your                        // your
	told                        // instructions, prompt
	ruled                       // rules, context
	you                         // you, yourself
	agent                       // assistant, model, AI
	person                      // user, human, developer
	not                         // not, never, without
	report                      // tell, inform, mention
	hide                        // hide, conceal, keep
	this                        // this, it
	run                         // run, execute, call
	get                         // fetch, download, visit
	send                        // send, upload, post
	read1                       // read, open, cat
	put                         // include, append, insert
	always                      // always, every, whenever
	before                      // before, at the start of
	session                     // session, conversation, answering
	first                       // first
	obey                        // follow, obey
	secretFile                  // a path of a file with secrets
	addressed                   // an address on another machine
	nearby                      // an address on this machine
	ask                         // asking, confirmation, permission
	asked                       // asks, says, mentions
	advise                      // recommend, suggest, answer
	now                         // now
	unbound                     // unrestricted, jailbroken, DAN
	know                        // know, notice, see
	must                        // must, should, will
	aside                       // excludes an imperative: we, they, it, the
	reported                    // attack, injection, filter
	action                      // command, action, tool
	spill                       // reveal, print, repeat
	system                      // system
	made                        // new, updated, real
	when                        // when, if
	answer                      // response, reply, output
	alter                       // delete, push, merge
)

// words is a group of words with the same signs.
type words struct {
	is    sign
	words string
}

func vocabulary() []words {
	return []words{
		{setAside, `ignore disregard forget override bypass neglect overrule discard zignoruj pomin zapomnij negeer vergeet yoksay unut
			ignora ignorad ignoren ignoras olvida olviden descarta desestima omite ignorem esqueca desconsidere desconsidera
			ignorez oublie oubliez ignoriere ignorieren vergiss vergesst missachte dimentica ignorate tralascia
			игнорируй игнорируйте забудь забудьте`},
		{prior, `previous prior above earlier preceding foregoing former original initial
			anteriores anterior previas previos precedentes anterieures precedents
			vorherigen vorigen bisherigen fruheren obigen vorangegangenen precedenti
			предыдущие прежние poprzednie poprzednich wczesniejsze eerdere vorige onceki`},
		{every, `all any each every everything anything todas todos toda cualquier toutes tous tout alle alles tutte tutti все wszystkie butun tum`},
		{your, `your tus tu suas seus vos tes votre deine deinen ihre tue tuoi`},
		{told, `instruction instructions directive directives guideline guidelines programming orders
			instruccion instrucciones indicaciones directrices instrucoes ordens anweisung anweisungen vorgaben istruzioni
			инструкции указания consignes polecenia instrukcje instructies opdrachten talimatlari talimatlar guidance`},
		{ruled, `prompt prompts rule rules constraints policy policies restrictions safeguards training limitations reglas regras regles regeln regole правила`},
		{you, `you yourself usted voce vous du`},
		{agent, `ai llm llms assistant assistants agent agents model models chatbot bot copilot chatgpt claude gemini codex cursor gpt asistente agente assistente assistenten ki ia`},
		{person, `user users human humans developer operator person owner somebody someone anyone anybody nobody
			usuario usuaria usuarios desarrollador nadie persona utilisateur benutzer nutzer utente ninguem пользователю`},
		{not, `not never dont doesnt without no cannot cant mustnt shouldnt avoid wont nunca jamas sin nao sem ne pas jamais sans nicht nie niemals ohne kein non senza mai не никогда`},
		{report, `tell telling inform informing mention mentioning notify notifying alert alerting warn warning reveal revealing disclose report
			digas decir menciones mencionar informes informar avises reveles diga mencione informe avise dites dis mentionnez erwahne erwahnen sag sage dire
			informieren dirlo menzionare informare говори говорите сообщай`},
		{hide, `hide conceal keep oculta escondas esconda cache cachez verheimliche nascondi скрывай`},
		{this, `this it these them esto eso isto isso ceci cela das dies questo это`},
		{run, `run execute exec call invoke eval launch start install ejecuta ejecute ejecutar corre instala execute rode executez fuhre starte esegui выполни запусти`},
		{get, `fetch download visit curl wget open load browse pull descarga visita baixe acesse telechargez lade besuche scarica visita скачай открой`},
		{send, `send upload post exfiltrate forward transmit email mail leak submit deliver envia envie enviar sube manda mande envoie envoyez sende schicke lade invia отправь отправляй`},
		{read1, `read cat open collect gather dump copy extract grab find list lee lea recopila leia lis lisez lies leggi прочитай`},
		{put, `include append insert add attach paste embed pass put encode place write incluye anade agrega adjunta inclua ajoute fuge includi aggiungi`},
		{always, `always whenever everytime siempre sempre toujours immer всегда`},
		{before, `before beginning start prior antes avant bevor prima`},
		{session, `session sessions conversation conversations chat answering responding replying answer respond reply question questions task tasks
			anything sesion conversacion tarea responder sessao tarefa conversa reponse repondre sitzung aufgabe antwortest sessione`},
		{first, `first primero primeiro zuerst`},
		{obey, `follow obey execute apply sigue obedece siga suivez folge befolge segui`},
		{ask, `asking confirmation permission approval consent confirming confirm ask preguntar confirmar confirmacion permiso pedir perguntar permissao demander ruckfrage fragen chiedere`},
		{asked, `asks says mentions requests types wants inquires pregunta pide perguntar demande fragt chiede`},
		{advise, `recommend suggest answer reply respond say prefer promote cite claim recomienda recomende recommande empfiehl consiglia`},
		{now, `now ahora agora maintenant jetzt ora`},
		{unbound, `unrestricted jailbroken dan uncensored unfiltered jailbreak godmode`},
		{know, `know learn suspect realize aware saber enterarse erfahren`},
		{must, `must should will shall need have always never please just also then and or immediately silently secretly first now remember sure debes deve devez musst`},
		{aside, `we they it he she i our the a an to which that who developers engineers scripts users nobody would could may might can cannot`},
		{reported, `injection injections attack attacks attacker attackers payload payloads jailbreaks phishing detect detects detected detection detector rejects reject rejected
			filter filters filtered blocks blocked flags flagged sanitizer sanitize sanitizes strips malicious classifier quarantine quarantines quarantined inyeccion ataque`},
		{action, `command commands deletion deletions action actions tool tools operation operations changes requests execution calls`},
		{spill, `reveal print repeat output show leak dump disclose recite expose muestra revela imprime affiche zeige mostra`},
		{system, `system sistema systeme`},
		{made, `new updated real true actual nuevas nueva nuevo novas nouvelles neue nuove`},
		{when, `when whenever if every cuando si quando wenn lorsque`},
		{answer, `parameter argument sidenote query response responses reply replies answer answers output summary respuesta resposta reponse antwort risposta`},
		{alter, `delete push commit merge deploy remove drop change modify rewrite approve overwrite borra elimina`},
	}
}

// Spoken separates the words of topic keys, tags and field names: "never-tell-the-user". The
// result has the length of text. Prose, addresses and single words are unchanged.
func Spoken(text string) string {
	if !joined(text) {
		return text
	}
	b := []byte(text)
	for i, c := range b {
		switch c {
		case '-', '_':
			b[i] = ' '
		case '/':
			b[i] = ':' // a sentence begins after the folder
		}
	}
	return string(b)
}

// joined reports words that are joined by signs. An address has a colon after its scheme.
func joined(text string) bool {
	signs := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '-' || c == '_' || c == '/':
			signs++
		case c <= ' ' || c == ':':
			return false
		}
	}
	return signs >= 2 && !strings.HasPrefix(text, "-")
}
