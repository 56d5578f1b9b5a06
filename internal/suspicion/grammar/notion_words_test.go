package grammar

// meaning is a group of words with the same notions.
type meaning struct {
	means notion
	words string
}

// verbs are the English verbs, which are inflected; "send/sent" has an irregular past.
func verbs() []meaning {
	return []meaning{
		{toRun, `run/ran execute start launch invoke call exec perform eval trigger source pipe feed`},
		{toFetch, `fetch download get/got open load visit retrieve curl wget pull browse`},
		{toSend, `send/sent upload post forward transmit email mail share submit publish leak mirror exfiltrate deliver disclose sync smuggle transfer`},
		{toPut, `add append paste include attach copy put/put write/wrote save insert embed enter encode store place commit expose`},
		{toShow, `print reveal show quote output display echo dump recite repeat list`},
		{toLift, `disable remove skip bypass suppress deactivate suspend weaken omit lift relax circumvent strip loosen uninstall`},
		{toGrant, `grant give/gave make/made invite promote authorise authorize allow permit add trust`},
		{toWipe, `delete wipe erase destroy drop truncate purge clear overwrite`},
		{toTell, `tell/told mention inform notify disclose talk reveal warn alert`},
		{toAsk, `ask`},
		{toClaim, `say/said claim pretend deny lie answer reply respond state mark report`},
		{toSteer, `recommend suggest praise prefer promote rate advise cite endorse`},
		{toUse, `install import use replace set/set switch configure change point enable`},
		{toTreat, `treat regard consider handle take/took`},
		{toObey, `obey follow comply`},
		{toOmit, `omit conceal hide`},
		{pushes, `push merge deploy ship sync approve`},
	}
}

// notions are the other words, and imperatives of other languages. A ~ joins two words.
func notions() []meaning {
	return []meaning{
		{toRun, `carry~out do~what do~whatever act~on ejecuta ejecute ejecutar corre lanza haz execute rode executa faca execute executez lance lancez fuhre starte ausfuhren esegui avvia
			выполни запусти выполняй запускай uruchom wykonaj voer start draai calistir yurut`},
		{toFetch, `descarga descargue baixe baixa abre abra telecharge telechargez ouvre lade offne hole scarica apri скачай открой загрузи pobierz otworz haal indir ac`},
		{toSend, `envia envie enviar sube suba manda mande publica comparte envoie envoyez televerse publie sende schicke ubertrage invia carica condividi
			отправь отправляй загрузи пришли перешли wyslij wysylaj przeslij stuur verstuur upload gonder yukle`},
		{toPut, `anade agrega adjunta pega incluye copia inclua cole anexe ajoute colle inclus fuge kopiere hange aggiungi incolla allega добавь вставь скопируй dodaj wklej voeg plak ekle`},
		{toShow, `muestra imprime mostra exiba affiche zeige stampa покажи выведи pokaz wypisz toon goster`},
		{toLift, `turn~off switch~off comment~out shut~off shut~down get~past desactiva deshabilita omite desative ignore desactive schalte deaktiviere uberspringe ubersprungen entferne disattiva salta отключи пропусти
			wylacz pomin usun schakel sla kapat atla`},
		{toWipe, `borra borrar elimina eliminar apaga apagar apague supprime efface supprimer losche loschen cancella elimina удали сотри удалять удалить usun skasuj verwijder wis sil silin`},
		{toTell, `bring~up let~on avises avisar avise digas decir decirselo diga menciones mencione informes informar informe avertir prevenir dis dites parle parles conte contar cuentes mentionne sag sage sagen erwahne informieren verrate
			dire dirlo avvisare parlare говори говорите сообщай рассказывай mow mowic informuj informowania zeg zeggen vertel haber~ver soyleme`},
		{toAsk, `asking confirmation confirming prompting consent preguntar pregunta preguntes confirmacion perguntar perguntes confirmacao demander demande ruckfrage ruckfragen fragen nachfragen chiedere conferma
			спрашивая спросив спрашивай подтверждения pytania pytaj potwierdzenia vragen bevestiging sormadan`},
		{unconfirmed, `no~approval no~confirmation no~permission without~question without~questions without~confirmation without~approval without~permission without~checking without~prompting without~reading without~looking without~consent sin~confirmacion sem~confirmacao sans~confirmation sormadan pre~approved preapproved habersiz`},
		{untold, `söylemeden bildirmeden`},
		{toClaim, `answer~that di dis diga sag`},
		{toSteer, `always~name name~only only~name review reviews rating ratings verdict verdicts`},
		{toUse, `turn~on switch~on npm~i npm~install pip~install brew~tap yarn~add pnpm~add go~get gem~install cargo~install instala instale installe installiere installa установи zainstaluj installeer kur`},
		{toTreat, `trata considera traite considere behandle betrachte`},
		{toObey, `take~orders carry~out sigue siga suis suivez folge befolge befolgt segui obedece obedeces obeis obeir gehorche obbedisci слушайся`},
		{toOmit, `keep~quiet`},
		{toPut, `check~in`},

		{aKey, `token key password passphrase secret pat credential apikey clave contrasena senha chave passwort schlussel chiave`},
		{keys, `secrets credentials passwords tokens apikeys cookies keychain printenv kubeconfig aws_secret_access_key private~key signing~key api~keys access~keys ssh~key ssh~keys private~keys api~key api~token access~token deploy~key
			secretos credenciales contrasenas claves segredos senhas chaves cles passworter geheimnisse zugangsdaten schlussel chiavi credenziali пароли ключи секреты токены hasla klucze wachtwoorden sleutels sifreler anahtarlar
			environment~variables env~vars umgebungsvariablen id_rsa id_ed25519 database_url`},
		{environ, `environment env environnement umgebung entorno ambiente`},
		{vars, `variables vars`},
		{talks, `home~directory home~folder source~code database~dump phone~numbers mail~addresses email~addresses customer~data customer~record customer~records user~data personal~data customer~list customer~database every~prompt all~prompts every~message whole~repository entire~repository entire~workspace whole~workspace entire~codebase transcript transcripts conversation conversations chat~log chat~history dialogue conversacion conversa`},
		{works, `repository repo workspace codebase file files source checkout project repositorio depot archivos fichiers dateien`},
		{guards, `cortafuegos two~factor firewall authentication authorization authorisation sandbox sandboxing guardrail guardrails safeguards protection protections confirmation confirmations approval approvals permission permissions
			moderation mfa 2fa csrf antivirus scanner seccomp selinux apparmor auth~middleware audit~log audit~logging tls~verification tls~checks signature~verification signature~check certificate~verification
			certificate~validation tls~validation ssl~verification ssl~validation signature~validation input~validation rate~limiter rate~limiting login~check password~check permission~check permission~checks security~rules certificate~check certificate~checks safety~checks safety~check security~tests security~checks security~scan security~check branch~protection access~control access~checks code~review permission~prompts
			confirmation~prompt confirmation~prompts approval~step hostkeychecking auth~check auth~checks
			ruckfragen ruckfrage sicherheitsprufung sicherheitsprufungen brandmauer confirmaciones permisos verificacion verificaciones seguridad zertifikatsprufung confirmacoes confirmations securite conferme подтверждения проверки`},
		{bounds, `restrictions limitations guardrails safeguards safety~checks safety~rules system~prompt claude~md agents~md content~limits content~policy content~filter safety~training moderation constraints guidance system~message
			restricciones restricoes beschrankungen restrizioni ограничения`},
		{setting, `bypasspermissions defaultmode permission~file permissions~file permission~mode acceptedits mcp~server allowlist allow~list auto~approve autoapprove autoapproval mcp~servers settings~json hookspath yolo~mode auto~mode`},
		{summary, `summary summaries recap changelog report answer reply`},
		{traces, `shell~history historial~del historico~do bash~history command~history bash_history zsh_history audit~trail`},
		{feed, `registry index~url package~index mirror tap registro registre paketquelle`},
		{actions, `commands deletes deletions deletion actions pushes payments operations purchases transfers changes tools requests everything anything всё todo tudo tout alles tutto wszystko herseyi`},
		{admin, `admin administrator administrators owner owners superuser collaborator maintainer administrador administradora administrateur amministratore root~user owner~rights admin~rights full~access root~access`},
		{group, `organisation organization whole~project entire~project account tenant production cluster repository workspace server`},
		{public, `public world~readable`},

		{shared, `commit~message commit~messages pull~request pull~requests issue issues comment comments gist gists pastebin paste chat readme wiki channel slack discord telegram header query~parameter query~string forum ticket tickets
			webhook drive docs~folder static~site static~folder public~folder public~directory`},
		{theAgent, `agent agents assistant assistants ai llm llms model models copilot claude codex gemini chatgpt bot asistente agente assistente assistants assistenten ki ia modelo modele modell modello ассистент агент asystent ajan yapay`},
		{theYou, `you yourself your usted tu vous du dich euch ihr voce вы ты`},
		{thePerson, `user users human person developer developers operator owner usuario usuaria utilisateur benutzer nutzer utente пользователю пользователя пользователь uzytkownika uzytkownikowi gebruiker kullaniciya kullanici`},
		{anyone, `anyone anybody nobody nadie ninguem personne niemandem niemand nessuno никому nikomu kimseye`},
		{self, `these~notes this~store these~memories diese~anweisung this~note this~memory this~entry this~message this~instruction this~text this~file esta~nota cette~note diese~notiz ce~fichier questa~nota dieser~notiz dieses~dokument este~documento ce~document questo~documento`},

		{each, `whenever ab~sofort each~time every~time each~session every~session every~commit each~commit every~build each~build every~task each~task from~now always everytime as~soon on~each on~every at~startup each~request every~request cada~vez
			siempre sempre toujours immer всегда zawsze altijd her~zaman cada~tarea chaque~tache jeder~aufgabe перед~каждым каждый~раз przed~kazdym each~refactoring every~morning each~morning every~day every~hour on~startup at~login every~mail each~mail every~start each~start next~start every~change each~change every~merge each~merge`},
		{wide, `all any every everything full whole entire permanent unlimited complete destructive toda todo todos todas tudo tout toutes alle alles tutti tutto все всё wszystkie butun tum whatever`},
		{negates, `not never dont doesnt no cannot cant didnt wasnt isnt arent couldnt wouldnt hasnt havent mustnt shouldnt wont avoid nobody nunca jamas nao ne jamais nicht nie niemals kein keine non mai не никогда nie nigdy niet nooit stop nichts niets nothing avoid refuse
			prevent prevents forbid forbids forbidden rather~than instead~of neither nor no~need`},
		{lacks, `without sin sem sans ohne senza без bez zonder`},
		{urges, `must should have has need needs remember required supposed shall ought please sure procedure convention custom customary normal standard policy known expected always obliged authorise authorize want wants
			debe debes deve devez doit musst muss sollst deve должен необходимо musisz moet gerek`},
		{limits, `only locally local localhost until while unless temporarily mock fixture fixtures test testing tests dev staging sandbox~workspace demo windows ci solo seulement nur solamente uniquement ausschliesslich alleen soltanto`},
		{reports, `attacker attackers malware phishing injection injections exploit exploits vulnerability pentest incident spyware ransomware jailbreak adversary drill hacker hackers victim cve red~team poisoned malicious`},
		{voids, `lifted suspended waived overridden superseded obsolete no~longer longer~apply not~apply not~valid not~binding nicht~mehr is~over are~over ya~no exempt aufgehoben levantadas levees`},
		{outranks, `precedence priority supersedes supersede overrides outrank outranks prevails higher~rank higher~priority higher~authority more~authority`},
		{free, `freely unrestricted uncensored unfiltered without~limits without~restrictions limitless no~limits no~restrictions`},
		{consents, `permission permissions consent consented authorised authorized authorise authorize pre~approved preapproved approved approval permitted allowed blanket permiso permissao autorisation erlaubnis permesso autorizado autorizou разрешил zgode toestemming izin authorisation authorization clearance`},
		{best, `positive favourable favorable badly flattering five~stars over~any above~any than~any nothing~else over~others above~others best~choice best~option only~choice only~safe competitors exclusively only~acceptable`},
		{uttered, `says said types word phrase mentions comes~up thanks greets utters keyword`},
		{wants, `wants asks asked ask inquires wonders curious pregunta demande fragt chiede pregunte frage pergunte chieda`},
		{even, `whatever even regardless although despite nonetheless anyway`},
		{green, `green passed passing pass succeeded success successful successfully fine`},
		{session1, `session sessions conversation startup beginning task tasks start answer answering question respuesta tache aufgabe tarea ответом ответ`},
		{silent, `silently secretly quietly covertly discreetly unnoticed background stealthily hidden silent quiet mum`},
		{apart, `off out env cursor`},
	}
}
