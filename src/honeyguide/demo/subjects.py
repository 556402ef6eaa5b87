"""The dozen subjects of the demo web and the words each of them uses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Subject:
    """One subject: its keywords, synonyms that authors may use instead, and the rest of its vocabulary."""

    name: str
    keywords: tuple[str, ...]
    """The words a user would give as the topic. No other word of the subject shares a stem with one of them."""
    synonyms: tuple[str, ...]
    """Words with the same meaning that are not keywords: the only ones that the hard pages use."""
    words: tuple[str, ...]
    """The rest of the subject's vocabulary, the most frequent first."""
    site_words: tuple[str, ...]
    """First halves of host names; unique in the whole web, and never keywords."""


def _subject(name: str, *, keywords: str, synonyms: str, words: str, sites: str) -> Subject:
    return Subject(
        name,
        tuple(keywords.split()),
        tuple(synonyms.split()),
        tuple(words.split()),
        tuple(sites.split()),
    )


# In a ring: neighbours are related subjects. A few words are in two lists on purpose (crater, frame, egg), as in real
# language.
SUBJECTS: tuple[Subject, ...] = (
    _subject(
        "astronomy",
        keywords="telescope galaxy planet astronomy orbit nebula comet eclipse",
        synonyms="stargazing constellation meteor cosmos supernova skywatching asteroid heavens firmament quasar "
        "starlight zodiac moonrise sunspot",
        words="observatory eyepiece aperture refractor reflector magnitude dome spectrum crater horizon "
        "cluster gravity parallax redshift luminosity pulsar dwarf corona photosphere equinox solstice "
        "ecliptic zenith declination ascension mount finder barlow filter transit occultation perihelion "
        "aphelion satellite probe lander rover ephemeris catalogue halo void dust photon radiation "
        "vacuum",
        sites="starry zenith cosmos meridian polaris lunar aurora sidereal",
    ),
    _subject(
        "photography",
        keywords="camera photography lens shutter exposure focus tripod darkroom",
        synonyms="snapshot viewfinder portraiture negative monochrome daguerreotype cyanotype bokeh rangefinder "
        "cinematography silhouette polaroid selfie tintype",
        words="film aperture portrait landscape sensor contrast light shadow tone colour flash print grain "
        "pixel histogram highlight balance strobe softbox reflector backdrop studio model macro panorama "
        "composition frame crop paper enlarger developer fixer emulsion slide album gallery exhibition "
        "zoom telephoto bellows cable metering bracket depth blur sharpness",
        sites="pixel silver bokeh snapshot halftone sepia daylight negative",
    ),
    _subject(
        "birdwatching",
        keywords="bird plumage nest migration binoculars feather songbird species",
        synonyms="ornithology avian fledgling raptor warbler avifauna passerine plover aviary finch heron kestrel "
        "wader twitcher",
        words="wing habitat flock wetland beak perch hide marsh census woodland song chick egg owl gull claw "
        "talon feeder ringing survey reedbed estuary moor hedgerow canopy colony roost clutch moult "
        "courtship display dawn chorus territory thrush robin wren lark swallow swift falcon tern duck "
        "goose swan crane",
        sites="heron lapwing kestrel avocet goldcrest curlew dunlin merlin",
    ),
    _subject(
        "beekeeping",
        keywords="hive honey bee beekeeping queen swarm pollen apiary",
        synonyms="apiculture apiarist skep nectar brood drone forager propolis mead wax comb pollinator mellifera "
        "nectary",
        words="frame smoker colony blossom veil worker larva clover winter syrup jar meadow foundation "
        "excluder nucleus pupa varroa mite foulbrood chalkbrood nosema fondant feeder extractor strainer "
        "heather lavender linden acacia borage bramble dandelion hawthorn sting venom antenna thorax "
        "waggle pheromone supersedure entrance quilt insulation inspection",
        sites="clover nectar skep waggle propolis blossom meadow linden",
    ),
    _subject(
        "baking",
        keywords="bread dough flour yeast oven sourdough loaf crust",
        synonyms="boulangerie baguette levain brioche focaccia ciabatta patisserie leavening croissant pretzel "
        "viennoiserie bakehouse rye bagel",
        words="crumb starter recipe butter salt gluten fermentation kneading wheat hydration milk egg sugar "
        "proof fold shaping scoring banneton peel scale tin malt spelt barley oat seed bran germ "
        "semolina whisk mixer bowl rack batch temperature humidity aroma flavour texture slice toast bun "
        "roll cake pastry icing",
        sites="crumb levain bakehouse semolina spelt brioche bannock barley",
    ),
    _subject(
        "mycology",
        keywords="mushroom fungus mycelium spore mycology toadstool gill chanterelle",
        synonyms="bolete truffle morel agaric puffball hypha lichen porcini mould champignon shiitake polypore "
        "saprophyte earthstar",
        words="cap stem wood autumn basket log ring substrate oak beech birch moss pore flesh tube volva latex "
        "bruise sawdust straw compost casing inoculation spawn incubation humidity flush harvest knife "
        "brush microscope slide stain reagent toxin poison amanita russula pine spruce larch leaf litter "
        "clearing decay symbiosis root",
        sites="bolete morel truffle mossy birchwood hypha amanita puffball",
    ),
    _subject(
        "geology",
        keywords="rock mineral geology fossil volcano sediment crystal granite",
        synonyms="strata outcrop lithology tectonics gemstone petrology stratigraphy palaeontology seismology "
        "ammonite trilobite geode orogeny boulder",
        words="basalt limestone quartz lava magma hammer cliff sandstone erosion valley glacier quarry shale "
        "slate marble gneiss schist feldspar mica calcite gypsum pyrite crater caldera plate mantle core "
        "chisel section bedding joint vein ore mine moraine terrace delta weathering deposit aquifer "
        "cave karst ash isotope",
        sites="basalt quarry moraine ammonite feldspar magma caldera gneiss",
    ),
    _subject(
        "ceramics",
        keywords="pottery clay glaze kiln ceramic porcelain stoneware earthenware",
        synonyms="terracotta raku faience vessel celadon bisque majolica slipware tenmoku crockery delftware "
        "sgraffito earthen burnishing",
        words="bowl vase mug teapot throwing studio tile coil slab jug plate handle trimming wedging pinch "
        "spout lid foot rim pitcher sponge rib needle caliper cone pyrometer thermocouple reduction "
        "oxidation soda ash feldspar kaolin silica frit cobalt copper iron rutile crackle grog slip "
        "engobe decal brushwork",
        sites="terracotta teapot kaolin celadon raku tenmoku bisque majolica",
    ),
    _subject(
        "weaving",
        keywords="loom yarn weaving wool warp weft textile fabric",
        synonyms="tapestry spindle tweed linen twill worsted herringbone brocade homespun damask ikat kilim "
        "jacquard handspun",
        words="shuttle thread pattern cloth dye fleece cotton silk blanket scarf spinning fringe heddle bobbin "
        "treadle reed shed selvedge draft skein hank carding shearing distaff flax hemp mohair alpaca "
        "madder indigo woad mordant felt shawl rug cushion curtain fibre staple ply twist tension beam "
        "harness lace",
        sites="shuttle bobbin skein tapestry indigo heddle distaff twill",
    ),
    _subject(
        "chess",
        keywords="chess gambit endgame bishop knight rook pawn checkmate",
        synonyms="grandmaster castling stalemate fianchetto zugzwang fide elo skewer middlegame queenside "
        "kingside blunder kibitzer patzer",
        words="board move king tournament match sacrifice clock attack defence square draw rating combination "
        "fork pin file diagonal rank exchange initiative variation notation round pairing blitz rapid "
        "problem study composition puzzle engine evaluation novelty resignation adjournment arbiter "
        "federation champion challenger title norm candidate centre outpost majority weakness",
        sites="outpost zugzwang castling sixtyfour fianchetto tempo blitz grandmaster",
    ),
    _subject(
        "railways",
        keywords="railway locomotive train station carriage signal track steam",
        synonyms="footplate tramway junction freight railcar funicular monorail shunter tender pannier timetable "
        "narrowgauge branchline coachbuilder",
        words="boiler engine platform wagon viaduct tunnel ticket depot siding diesel wheel whistle firebox "
        "piston coupling bogie axle buffer sleeper ballast cutting embankment turntable yard semaphore "
        "interlocking lever crossing pantograph catenary chimney smokebox injector valve crank flange "
        "crossover terminus halt goods van hopper brake guard conductor",
        sites="viaduct footplate semaphore branchline turntable tramway pannier bogie",
    ),
    _subject(
        "sailing",
        keywords="yacht sail mast keel rudder regatta helm spinnaker",
        synonyms="boating seamanship schooner skipper mariner ketch sloop catamaran voyage windward leeward "
        "nautical dinghy cruising",
        words="anchor deck tide harbour hull compass chart jib rope cabin wave buoy halyard sheet genoa boom "
        "gaff stay shroud cleat winch shackle chain mooring marina pontoon berth current swell gust "
        "forecast barometer bearing waypoint fender bilge cockpit galley bunk tiller transom bow stern "
        "starboard splice reef gybe",
        sites="halyard leeward mariner estuary schooner tiller spindrift compass",
    ),
)

COUNT = len(SUBJECTS)


def related(subject: int) -> tuple[int, int]:
    """The two neighbours of this subject in the ring."""
    return (subject - 1) % COUNT, (subject + 1) % COUNT
