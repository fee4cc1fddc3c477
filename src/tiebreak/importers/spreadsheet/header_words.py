"""The names that people give to columns, in English and in the languages of surveys: data only.

Names are compared as `header_key` writes them: without case, spaces, punctuation and accents. Within a target
they stand in order of preference: the first name present is taken.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_ACCENTS: Final = re.compile("[\u0300-\u036f]")


def header_key(name: str) -> str:
    """A column's name as names are compared: `Doc-ID ` is `docid`, `Präferenz` is `praferenz`."""
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", name))
    return "".join(c for c in unicodedata.normalize("NFKC", plain).casefold() if c.isalnum())


def word_set(words: str) -> frozenset[str]:
    """The words of a text, as they stand in it."""
    return frozenset(words.split())


def _words(names: str) -> tuple[str, ...]:
    return tuple(map(header_key, names.split()))


_ENGLISH: Final[dict[str, tuple[str, ...]]] = {
    "item": _words(
        "item itemid docid documentid promptid exampleid segmentid segid segment seg globalsegid questionid sampleid "
        "instanceid inputid sourceid queryid taskid conversationid recordid pairid uid guid qid sid example sample "
        "instance id idx index itemno itemnumber no nr number row rowid hitid"
    ),
    "input": _words(
        "input prompt source sourcetext src instruction instructions question query post article document userprompt "
        "usermessage inputtext prompttext questiontext sourcesentence promptinput task turnprompt q"
    ),
    "context": _words("context background passage history dialoguecontext systemprompt additionalinput"),
    "reference": _words(
        "reference references ref gold target goldanswer referenceanswer groundtruth referencetext goldtext human "
        "correctanswer correctoutput correcttranslation trueanswer "
        "humanreference targettext referenceoutput referencesummary goldsummary expected expectedoutput idealanswer"
    ),
    "cluster": _words("cluster clusterid group groupid dialogueid dialogid articleid threadid"),
    "system": _words(
        "system systemid systemname sys model modelid modelname generator engine llm bot variant arm mtsystem policy"
    ),
    "text": _words(
        "text output response answer generation prediction hypothesis hyp pred candidate completion generated "
        "generatedtext outputtext responsetext modeloutput systemoutput modelresponse modelanswer translation summary "
        "reply modelsummary modelprediction systemtranslation decoded result"
    ),
    "outcome": _words(
        "outcome winner preference preferred preferredmodel preferredsystem choice label vote better best verdict "
        "humanpreference humanlabel winnermodel bettermodel betterresponse selected selection judgment judgement "
        "decision answerchoice chosen result ranking rank ranks"
    ),
    "left": _words("left leftsystem leftmodel shownleft onleft leftside"),
    "annotator": _words(
        "annotator annotatorid worker workerid rater raterid user userid username evaluator evaluatorid "
        "labeler labelerid labeller labellerid annotatorname annotatedby labeledby reviewer reviewerid participant "
        "posteditor editor translator translatorid linguist assessor coder "
        "participantid ratedby evaluatedby reviewedby assessedby scoredby expert expertid crowdworker person "
        "prolificid prolificpid login turker respondent respondentid completedby"
    ),
    "judge": _words("judge judgeid judgemodel judgename llmjudge evaluatormodel grader gradermodel"),
    "reply": _words("reply rawreply rawjudgment judgereply judgment judgement rawoutput gptreason explanation"),
    "p_a": _words("pa proba probabilitya pfirst p1 prob1"),
    "p_tie": _words("ptie probtie probabilitytie"),
    "p_b": _words("pb probb probabilityb psecond p2 prob2"),
    "criterion": _words("criterion criteria aspect dimension quality facet attribute category questiontype"),
    "value": _words("value rating score stars grade likert points mark ratingvalue humanscore humanrating raw"),
    "metric": _words("metric metricname measure metricid scorer"),
    "seconds": _words(
        "seconds duration timespent durationseconds worktimeinseconds timeseconds timetaken elapsed elapsedseconds "
        "secs durationsec timespentseconds timespents durations times responsetime leadtime "
        "edittime editingtime edittimes editingtimes petime"
    ),
    "decided_at": _words(
        "decidedat timestamp createdat submittime submittedat tstamp datetime date created submitted completedat "
        "endtime annotatedat updatedat time submissiontime answeredat"
    ),
}

# German, French, Spanish, Italian, Portuguese, Dutch, Chinese, Japanese: the common words of a survey.
_TRANSLATED: Final[dict[str, tuple[str, ...]]] = {
    "item": _words(
        "beispiel fragenr fragennummer fragenid aufgabe exemple numero identifiant ejemplo elemento esempio "
        "exemplo voorbeeld vraagnummer 编号 序号 样本 题号 番号 項目 サンプル 問題番号"
    ),
    "input": _words(
        "frage eingabe aufforderung anweisung quelle quelltext quellsatz ausgangstext invite consigne entree pregunta "
        "consulta instruccion entrada domanda richiesta istruzione pergunta instrucao vraag opdracht invoer "
        "问题 提示 提示词 输入 指令 原文 質問 入力 プロンプト 指示"
    ),
    "context": _words("kontext contexte contexto contesto 上下文 背景 文脈 コンテキスト"),
    "reference": _words("referenz musterlösung referencia riferimento referentie 参考 参考答案 标准答案 参照 正解"),
    "cluster": _words("gruppe dokument groupe grupo gruppo groep 组 分组 グループ"),
    "system": _words("modell modele modelo modello sistema systeem systeme modelnaam 模型 系统 モデル システム"),
    "text": _words(
        "antwort ausgabe übersetzung zusammenfassung reponse sortie traduction respuesta salida traduccion "
        "risposta uscita traduzione resposta saida traducao antwoord uitvoer vertaling "
        "回答 答案 输出 回复 译文 応答 出力 答え 翻訳"
    ),
    "outcome": _words(
        "gewinner sieger besser bevorzugt präferenz urteil auswahl wahl ergebnis gagnant vainqueur preferee "
        "meilleur meilleure choix ganador mejor preferencia eleccion vincitore migliore preferenza scelta vencedor "
        "melhor preferencia escolha winnaar beter voorkeur keuze 胜者 获胜者 更好 偏好 选择 勝者 選好 選択 どちらが良い"
    ),
    "judge": _words("juez giudice juiz 评判 裁判 ジャッジ"),
    "annotator": _words(
        "bewerter bewerterin annotatorin gutachter prüfer teilnehmer person annotateur annotatrice evaluateur juge "
        "anotador anotadora evaluador evaluadora annotatore valutatore avaliador beoordelaar deelnemer "
        "标注者 标注员 标注人 评估者 评审 评价者 评分人 评测人 評価者 アノテーター 注釈者"
    ),
    "criterion": _words("kriterium critere criterio 标准 維度 维度 基準 観点"),
    "value": _words(
        "bewertung note punkte punktzahl wertung evaluation puntuacion nota calificacion punteggio voto valutazione "
        "pontuacao avaliacao score cijfer beoordeling 分数 评分 得分 スコア 評価 点数"
    ),
    "metric": _words("metrik metrique metrica metriek 指标 指標"),
    "seconds": _words("dauer sekunden duree duracion durata duracao duur 秒数 用时 所要時間"),
    "decided_at": _words(
        "zeitstempel datum zeit zeitpunkt horodatage fecha marcatemporal data tijdstempel 时间 日期 タイムスタンプ 日時"
    ),
}

SYNONYMS: Final[dict[str, tuple[str, ...]]] = {
    target: (*names, *_TRANSLATED.get(target, ())) for target, names in _ENGLISH.items()
}

ANYTHINGS_NAMES: Final = word_set("name nombre nom nome naam 名前")
"""Those of the next that may be the name of anything."""

PEOPLES_NAMES: Final = _words(
    "name yourname fullname nombre nombrecompleto nom nomcomplet nome naam 姓名 名前 氏名 "
    "emailaddress emailadresse adresseemail adressemail correo correoelectronico "
    "direcciondecorreoelectronico indirizzoemail enderecodeemail emailadres 邮箱 メールアドレス"
)
"""Names of columns that say who answered in an export of a form, and may be anything's name elsewhere."""

PASSAGE_IDS: Final = _words(
    "passageid pid paragraphid snippetid chunkid evidenceid passageno passagenumber passageindex paragraphno "
    "paragraphnumber paragraphindex snippetno chunkno chunkindex"
)
"""Names of columns that say which passage a row is about."""

BESIDE_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "system": _words(
        "checkpoint checkpointname checkpointid checkpointpath checkpointstep ckpt ckptname ckptid ckptpath ckptstep "
        "globalstep trainingstep trainstep step iteration iter epoch"
    ),
    "sample": _words(
        "sample sampleid sampleno samplenumber sampleindex seed randomseed run runid replicate repetition rep draw "
        "attempt trial try rollout outputindex generationindex sampleidx outputidx generationidx genidx genindex "
        "completionid completionidx completionindex rolloutid stichprobe durchlauf echantillon essai muestra intento"
    ),
    "edit": _words(
        "postedit postedited posteditedtext posteditedoutput pe edit edited editedtext editedoutput correctedtext "
        "correctedoutput corrected correction revisedtext revised revision rewritten korrigiert korrektur "
        "nachbearbeitet corrige correction corregido correccion corretto correzione 修改后 修正 译后编辑"
    ),
    "passage": (*PASSAGE_IDS, *_words("passage paragraph snippet chunk absatz abschnitt paragraphe parrafo 段落")),
    "passage_text": _words(
        "passagetext passagecontent passagebody paragraphtext snippettext chunktext evidencetext passage paragraph "
        "snippet chunk evidence"
    ),
    "support": _words("support supports supported supportlabel issupported attributable"),
    "sensible": _words("sensible makessense questionmakessense questionissensible questionok answerable"),
    "plausible": _words("plausible isplausible plausibility answerplausible answerisplausible"),
    "start": _words("start startchar startoffset startindex charstart spanstart begin"),
    "end": _words("end endchar endoffset endindex charend spanend"),
}
"""Names that say what they do only where the rest of the file has a place for it."""

SURE_CHECKPOINT_NAMES: Final = frozenset(BESIDE_NAMES["system"]) - word_set("step iteration iter epoch")
"""Names of columns of checkpoints that say so themselves: a step may be one of an answer, too."""

NUMBERS_OF_CHECKPOINTS: Final = word_set("checkpointstep ckptstep globalstep trainingstep trainstep")
"""Those of them that have numbers, which are no names yet."""

RUN_NAMES: Final = _words("run runid runname trainingrun training experiment experimentid")
"""Names of the training that a checkpoint is of, in order of preference."""

TRAINING_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "step": _words("step globalstep trainingstep trainstep checkpointstep ckptstep iteration iter checkpoint ckpt"),
    "total_steps": _words("totalsteps maxsteps numtrainingsteps numtrainsteps trainingsteps trainsteps"),
    "dev_loss": _words("devloss evalloss valloss validloss validationloss heldoutloss"),
    "setting": _words(
        "lr learningrate peaklr peaklearningrate batchsize trainbatchsize perdevicetrainbatchsize effectivebatchsize "
        "weightdecay dropout warmup warmupsteps warmupratio lrscheduler lrschedulertype optimizer optim numepochs "
        "numtrainepochs epochs gradientaccumulationsteps maxgradnorm labelsmoothing hiddensize numlayers numheads "
        "lorar lorarank loraalpha loradropout beta"
    ),
}
"""Names of what a file says of a checkpoint, or of its training, beside the text that it wrote."""

SURE_EDIT_NAMES: Final = frozenset(
    _words(
        "postedit postedited posteditedtext posteditedoutput pe editedtext editedoutput correctedtext correctedoutput "
        "revisedtext nachbearbeitet 修改后 译后编辑"
    )
)
"""Names of columns of edits that no system has."""

WEAK_ITEM_NAMES: Final = frozenset(
    _words("id idx index no nr number row rowid uid guid recordid itemno itemnumber taskid numero 编号 序号 番号")
)
"""Names that as often number the rows of the file as the items."""

WEAK_OUTCOME_NAMES: Final = frozenset(
    _words(
        "label choice vote better best result selected selection decision chosen verdict judgment judgement "
        "answerchoice ranking rank ranks urteil auswahl wahl ergebnis besser choix eleccion mejor scelta migliore "
        "escolha melhor keuze beter 选择 選択 更好 preference outcome preferred"
    )
)
"""Names that say an outcome only if the cells do too."""

STRONG_OUTCOME_NAMES: Final = frozenset(SYNONYMS["outcome"]) - WEAK_OUTCOME_NAMES | frozenset(
    _words("preference preferred better best vote besser mejor migliore melhor beter")
)
"""Names that no key of a test and no label of a corpus has."""

OUTPUT_NAMES: Final = frozenset(
    _words(
        "output prediction generation hypothesis hyp pred candidate completion generated generatedtext outputtext "
        "responsetext modeloutput systemoutput modelresponse modelanswer modelsummary modelprediction "
        "systemtranslation decoded"
    )
)
"""Names of texts that only systems write."""

PARTS_OF_TASKS: Final = frozenset(
    _words(
        "premise hypothesis option choice ending goal sol solution transcript utterance paragraph abstract headline "
        "title body subject passage"
    )
)
GENERIC_FILES: Final = frozenset(
    _words(
        "data dataset export results result output outputs responses answers predictions generations file sheet table "
        "train test dev validation batch final new copy"
    )
)
"""Words of names of files that name no system."""

BETTER_WORDS: Final = frozenset(
    _words(
        "winner wins won better best prefer preferred prefers preference favourite favorite liked besser beste "
        "gewinner sieger bevorzugt meilleur meilleure mieux gagnant vainqueur prefere mejor ganador prefiere migliore "
        "vincitore melhor vencedor beter winnaar 更好 胜者 获胜者 勝者"
    )
)
"""Words of a column that says who won, whatever else it says."""

OTHER_CHOICES: Final[dict[str, frozenset[str]]] = {
    "lost": frozenset(
        _words(
            "loser lost loses losing worse worst inferior rejected dispreferred disliked weaker runner verlierer "
            "schlechter schlechtere schlechteste verloren perdant pire perdu perdedor peor perdente peggiore pior "
            "verliezer slechter 较差 更差 败者 敗者"
        )
    ),
    "shown": frozenset(
        _words(
            "shown presented displayed seen order position swapped flipped reversed gezeigt reihenfolge vertauscht "
            "ordre affiche orden mostrado ordine mostrato ordem volgorde getoond 顺序 順番"
        )
    ),
    "correct": frozenset(
        _words(
            "correct gold truth solution key richtig richtige richtiges korrekt korrekte lösung correcte correcto "
            "correcta solucion corretto corretta soluzione correto correta juist juiste 正确 正解"
        )
    ),
}
"""Words of columns that name one of two things, and not who won: who lost, who was shown first, what is the right
answer."""

PROPERTY_WORDS: Final = frozenset(
    _words(
        "longer shorter longest length verbose faster slower toxic harmful offensive rude biased unsafe errors written "
        "wrote author guess fake real accepted länger kürzer"
    )
)
"""Words of columns that name the one of two things that has some property, which need not be the better one."""

NEGATIONS: Final = frozenset(_words("not least less never nicht weniger moins menos meno minder"))
SECOND_PLACES: Final = frozenset(_words("choice best pick place liked preferred favourite favorite"))
"""What comes second of these did not win."""

METRIC_NAMES: Final = _words(
    "bleu sacrebleu chrf ter rouge rouge1 rouge2 rougel rougelsum meteor bertscore bartscore comet bleurt moverscore "
    "cider spice gptscore perplexity ppl length wordcount f1 exactmatch em bert prism yisi cometkiwi metricx geval "
    "levenshtein wer cer unieval questeval reward rewardscore similarity cosine mqm mqmavgscore"
)

CRITERION_NAMES: Final = frozenset(
    _words(
        "fluency coherence consistency relevance adequacy accuracy factuality faithfulness helpfulness harmlessness "
        "overall quality naturalness informativeness clarity grammar grammaticality correctness conciseness "
        "readability "
        "engagingness interestingness toxicity safety style usefulness completeness specificity diversity creativity "
        "plausible plausibility sensible "
        "truthfulness honesty humor humour meaning preservation simplicity understandability groundedness "
        "qualität qualite calidad qualita qualidade kwaliteit 质量 品質 "
        "flüssigkeit kohärenz verständlichkeit genauigkeit fluidite coherence fluidez coherencia precision "
        "fluidita coerenza vloeiendheid 流畅度 流畅性 相关性 準確性 准确性 流暢さ 正確さ"
    )
)

DETAIL_NAMES: Final = frozenset(
    _words(
        "language lang languages srclang trglang tgtlang langpair turn split domain topic category genre source "
        "dataset comment comments note notes reason explanation rationale justification remarks feedback anony toxic "
        "url link title difficulty type tag mean average avg median total sum "
        "tags status batch session country gender age hitid assignmentid year month day version seed temperature "
        "severity annotatorcomment reasoning chainofthought confidence email name ip ipaddress filepath filename "
        "firstname lastname givenname familyname surname forename vorname nachname prénom apellido apellidos cognome "
        "kommentar begründung bemerkung anmerkung anmerkungen pourquoi warum porque "
        "sprache thema commentaire langue sujet comentario idioma tema commento "
        "lingua opmerking taal 备注 评论 语言 コメント 言語 備考 理由"
    )
)
"""Columns of details, never a system's texts or a criterion's ratings unless `--map` says so."""

ADMINISTRATIVE_NAMES: Final = frozenset(
    _words(
        # Mechanical Turk's batch results
        "hitid hittypeid hitgroupid title description keywords reward creationtime maxassignments requesterannotation "
        "assignmentdurationinseconds autoapprovaldelayinseconds expiration numberofsimilarhits lifetimeinseconds "
        "assignmentid assignmentstatus accepttime submittime autoapprovaltime approvaltime rejectiontime "
        "requesterfeedback lifetimeapprovalrate last30daysapprovalrate last7daysapprovalrate approve reject "
        # Prolific, Qualtrics, Label Studio, Argilla
        "submissionid startedat completedat startdate enddate progress finished recordeddate responseid "
        "recipientlastname recipientfirstname recipientemail externalreference locationlatitude locationlongitude "
        "distributionchannel userlanguage annotationid createdat updatedat leadtime insertedat"
    )
)
"""What platforms write about their own work: never a text, an outcome or a number about a system."""
