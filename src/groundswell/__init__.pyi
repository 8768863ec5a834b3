"""The public names with their types, for type checkers and editors; `__init__.py` loads them when they are used."""

from groundswell.errors import GroundswellError as GroundswellError
from groundswell.errors import UserError as UserError
from groundswell.notebook.comparing import agree as agree
from groundswell.notebook.comparing import rank as rank
from groundswell.notebook.comparing import read_comparisons as read_comparisons
from groundswell.notebook.comparing import write_comparisons as write_comparisons
from groundswell.notebook.frames import Table as Table
from groundswell.notebook.measuring import measure_pair as measure_pair
from groundswell.notebook.results import Agreement as Agreement
from groundswell.notebook.results import Ranking as Ranking
from groundswell.notebook.results import Scores as Scores
from groundswell.notebook.scoring import read_reply as read_reply
from groundswell.notebook.scoring import score_cpi as score_cpi
from groundswell.notebook.scoring import score_echo as score_echo
from groundswell.notebook.scoring import score_llava as score_llava
from groundswell.notebook.workspaces import OpenWorkspace as OpenWorkspace
from groundswell.notebook.workspaces import open_workspace as open_workspace
from groundswell.records import Dimension as Dimension
from groundswell.records import Measurement as Measurement
from groundswell.records import NotApplicable as NotApplicable
from groundswell.records import Rating as Rating
from groundswell.records import Unranked as Unranked

__version__: str
